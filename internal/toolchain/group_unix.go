//go:build unix

package toolchain

import (
	"os/exec"
	"syscall"
)

// killGroup makes cancelling cmd's context end the compilers that it started too.
func killGroup(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
}
