//go:build unix

package site

import (
	"os/exec"
	"syscall"
)

// asGroup puts the command, which must not have started, into a new process group together with all processes that it
// starts. Canceling the command's context sends SIGTERM to the group. Call the returned function once the command has
// ended: it kills the rest of the group.
func asGroup(cmd *exec.Cmd) (end func()) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGTERM) }
	return func() {
		if cmd.Process != nil {
			syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) // usually no process is left
		}
	}
}
