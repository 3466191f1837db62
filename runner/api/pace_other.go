//go:build !unix

package api

import "os/exec"

// pace does nothing: this system cannot stop a process for a while.
func pace(cmd *exec.Cmd, crowded func() bool, ended <-chan struct{}) {}
