package userpkg

import (
	"os/exec"
	"runtime"
	"syscall"
	"time"
)

// ownLimit returns the limit that a program has for itself, 0 for none: runWithUs ends it. Without a timer, the Go
// runtime finds out that all goroutines wait for each other, and says so.
func ownLimit(time.Duration) time.Duration { return 0 }

// runWithUs runs a command that ends if this process does.
func runWithUs(cmd *exec.Cmd) error {
	// The signal is sent when the thread that started the command ends.
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	if cmd.SysProcAttr == nil {
		cmd.SysProcAttr = &syscall.SysProcAttr{}
	}
	cmd.SysProcAttr.Pdeathsig = syscall.SIGKILL
	return cmd.Run()
}
