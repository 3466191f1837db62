package api

import (
	"os/exec"
	"syscall"
)

// endWithServer has the system kill the command when the thread that starts it ends, and thus when this program does.
// Otherwise a process that is suspended at that moment could stay forever. See prctl(2), PR_SET_PDEATHSIG.
func endWithServer(cmd *exec.Cmd) { cmd.SysProcAttr.Pdeathsig = syscall.SIGKILL }
