//go:build unix

// Package confine bounds what a process and all that it starts may take.
package confine

import (
	"os/exec"
	"strconv"
	"syscall"
)

// Command bounds the address space of the command and of each process that it starts, in bytes, 0 for no bound, and makes
// canceling its context end all of them.
func Command(cmd *exec.Cmd, memory int) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
	if memory == 0 {
		return
	}
	shell, err := exec.LookPath("sh")
	if err != nil {
		cmd.Err = err
		return
	}
	// A limit of the operating system's is inherited; os/exec can set none, a shell can.
	const script = `ulimit -v "$1" && shift && exec "$@"`
	cmd.Args = append([]string{"sh", "-c", script, "sh", strconv.Itoa(memory >> 10), cmd.Path}, cmd.Args[1:]...)
	cmd.Path = shell
}
