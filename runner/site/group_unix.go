//go:build unix

package site

import (
	"os"
	"os/exec"
	"syscall"
)

// asGroup puts the command, which must not have started, into a new process group together with all processes that it
// starts.
func asGroup(cmd *exec.Cmd) { cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} }

// interruptGroup sends SIGTERM to a group.
func interruptGroup(leader *os.Process) { syscall.Kill(-leader.Pid, syscall.SIGTERM) }

func killGroup(leader *os.Process) { syscall.Kill(-leader.Pid, syscall.SIGKILL) }

// groupRuns reports whether a process of a group is left.
func groupRuns(leader *os.Process) bool { return syscall.Kill(-leader.Pid, 0) == nil }
