//go:build !js

package execution

import (
	"context"
	"os"
	"os/exec"
	"time"
)

// ProcessLimits bound the memory, processor time and files of a command, and of each process that it starts. Package
// build limits its builds with them, package sandbox native programs, and the runner the formatting of programs. 0 means
// no limit. A lower limit of the system stays in effect, and a limit that the system does not have is ignored.
type ProcessLimits struct {
	Memory int           // bytes of address space
	CPU    time.Duration // processor time in whole seconds; the process is killed at the limit
	File   int           // bytes of a file that is written
	// Processes bounds the user's processes and threads, including those outside the command, as RLIMIT_NPROC does. It
	// does not apply to root.
	Processes int
	// Nice is added to the niceness, so that other processes come first.
	Nice int
}

// Command returns a command that runs in the folder dir with the environment env, and is held to the limits. If dir is
// "", the command runs in the current folder; if env is nil, it has this process's environment. Canceling ctx ends the
// command and all processes that it started.
func Command(ctx context.Context, l ProcessLimits, dir string, env []string, name string, args ...string) *exec.Cmd {
	cmd := exec.CommandContext(ctx, name, args...)
	cmd.Dir, cmd.Env = dir, env
	if dir != "" {
		// PWD keeps the name of dir if that is a symbolic link.
		cmd.Env = append(cmd.Environ(), "PWD="+dir)
	}
	cmd.WaitDelay = time.Second
	Bound(cmd, l)
	return cmd
}

// ReachedCPU reports whether a signal ended the process at its limit on processor time.
func ReachedCPU(limit time.Duration, p *os.ProcessState) bool {
	return p.ExitCode() < 0 && NearCPU(limit, p.UserTime()+p.SystemTime())
}

// NearCPU reports whether a process that used that much processor time may have reached the limit. The kernel measures
// the time that it limits and the time that it reports in different ways: they differ by 10% and more.
func NearCPU(limit, used time.Duration) bool { return limit > 0 && used >= limit*3/4 }
