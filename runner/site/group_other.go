//go:build !unix

package site

import "os/exec"

// asGroup leaves the command as it is: canceling its context ends the command alone.
func asGroup(cmd *exec.Cmd) (end func()) { return func() {} }
