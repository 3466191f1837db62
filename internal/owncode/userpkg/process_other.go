//go:build !linux

package userpkg

import (
	"os/exec"
	"time"
)

// ownLimit returns the limit that a program has for itself. It matters only if this process has ended.
func ownLimit(limit time.Duration) time.Duration { return limit + time.Minute }

// runWithUs runs a command, and calls started when it has started.
func runWithUs(cmd *exec.Cmd, started func()) error {
	if err := cmd.Start(); err != nil {
		return err
	}
	started()
	return cmd.Wait()
}

// timeOf returns nothing: how long a process waits for a processor is not known here.
func timeOf(int) processorTime { return processorTime{} }
