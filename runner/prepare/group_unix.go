//go:build unix

package prepare

import (
	"os/exec"
	"syscall"
)

// asGroup makes the command, which has not started, and all that it will start a process group of their own, which canceling its
// context asks to end. The returned function, called once the command has ended, kills what is left of the group.
func asGroup(cmd *exec.Cmd) (end func()) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGTERM) }
	return func() {
		if cmd.Process != nil {
			syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) // there is usually none any more
		}
	}
}
