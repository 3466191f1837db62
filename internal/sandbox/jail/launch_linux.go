//go:build amd64 || arm64

package jail

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"runtime"
	"strings"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// A run has two processes of this program's own executable. The first, the starter, is started like any other process.
// It starts the second, which is in its own namespaces and becomes the jailed program. To start a process in namespaces
// the kernel copies the page tables of the parent. With a server of 300 MB as the parent that takes some 30 ms, with
// the starter half a millisecond.
//
// os.Args[0] says which of the two a process is. Its only argument is a plan.
const (
	starterName = "onthestack-jail-starter"
	jailName    = "onthestack-jail"
)

// The file descriptors of the processes until the second executes the program.
const (
	programFD = ReportFD + 1
	statusFD  = ReportFD + 2
	endFD     = ReportFD + 3 // of the starter
	starterFD = ReportFD + 3 // of the second process: an empty pipe, to which the starter has the other end
)

// A plan tells a new process what to run, and how.
type plan struct {
	Args, Env []string
	Bounds    Bounds
	Without   map[Layer]bool
}

// maxStatus bounds the status and the end that a new process writes, in bytes.
const maxStatus = 4 << 10

// Run runs the program to its end. When ctx is done it kills the program and all its processes. A program that fails is
// not an error. A missing layer is a *LayerError, and then the program was not started.
func (c *Command) Run(ctx context.Context) (*State, error) {
	if c.Bounds.Memory <= 0 || c.Bounds.CPU <= 0 {
		return nil, fmt.Errorf("start a jail: there are no bounds: %+v", c.Bounds)
	}
	text, err := json.Marshal(plan{c.Args, c.Env, c.Bounds, c.without})
	if err != nil {
		return nil, fmt.Errorf("start a jail: %w", err)
	}
	pipes, err := newPipes()
	if err != nil {
		return nil, fmt.Errorf("start a jail: %w", err)
	}
	defer pipes.close()

	// The link leads to the running executable, even if another file has its path by now.
	cmd := exec.CommandContext(ctx, self)
	cmd.Args = []string{starterName, string(text)}
	cmd.Env = []string{}
	cmd.Stdin = pipes.empty[0]
	cmd.Stdout, cmd.Stderr = c.Output, c.Output
	cmd.ExtraFiles = []*os.File{pipes.report[1], c.Program.file, pipes.status[1], pipes.end[1]}
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
	cmd.Cancel = func() error { return cmd.Process.Signal(stopSignal) }
	// After that the starter is killed, and the kernel kills the second process.
	cmd.WaitDelay = 10 * time.Second
	stopped := State{Exit: -1, Killed: true}
	switch err := cmd.Start(); {
	case err != nil && ctx.Err() != nil:
		return &stopped, nil
	case err != nil:
		return nil, fmt.Errorf("start a jail: %w", err)
	}
	pipes.closeTheirs()

	reported := make(chan error, 1)
	go func() {
		_, err := io.Copy(c.Report, pipes.report[0])
		if errors.Is(err, io.ErrShortWrite) {
			// Reading on would cost this process as much time as the program likes.
			err = pipes.report[0].Close()
		}
		reported <- err
	}()
	status, statusErr := io.ReadAll(io.LimitReader(pipes.status[0], maxStatus))
	end, endErr := io.ReadAll(io.LimitReader(pipes.end[0], maxStatus))
	err = cmd.Wait()
	// The program and all its processes have ended, so the other end of this pipe is closed.
	reportErr := <-reported
	if len(status) > 0 {
		layer, reason, _ := strings.Cut(string(status), ": ")
		return nil, &LayerError{Layer(layer), errors.New(reason)}
	}
	if ctx.Err() != nil && len(end) == 0 {
		return &stopped, nil
	}
	var state State
	err = errors.Join(err, statusErr, endErr, reportErr, json.Unmarshal(end, &state))
	if err != nil && ctx.Err() == nil {
		return nil, fmt.Errorf("run a program in a jail: %w", err)
	}
	return &state, nil
}

// self is this process's executable.
const self = "/proc/self/exe"

// stopSignal asks the starter to kill the second process.
const stopSignal = syscall.SIGTERM

// startJail is what the starter does. It writes to endFD how the program ended.
func startJail(text []byte) error {
	stop := make(chan os.Signal, 1)
	signal.Notify(stop, stopSignal)
	var p plan
	if err := json.Unmarshal(text, &p); err != nil {
		return err
	}
	// If the machine runs out of memory, the kernel kills these two processes before all others.
	if err := os.WriteFile("/proc/self/oom_score_adj", []byte("1000"), 0); err != nil {
		return err
	}
	files := []*os.File{os.Stdin, os.Stdout, os.Stderr}
	for fd := uintptr(ReportFD); fd <= statusFD; fd++ {
		files = append(files, os.NewFile(fd, "inherited"))
	}
	alive, mine, err := os.Pipe()
	if err != nil {
		return err
	}
	defer mine.Close()
	files = append(files, alive)
	// The second process dies with this thread.
	runtime.LockOSThread()
	process, err := os.StartProcess(self, []string{jailName, string(text)},
		&os.ProcAttr{Env: []string{}, Files: files, Sys: attributes(p.Without)})
	if err != nil {
		return startError(err)
	}
	for _, f := range files {
		f.Close()
	}
	over := make(chan struct{})
	go demote(process.Pid, demoteAfter, over)
	go func() {
		<-stop
		process.Kill()
	}()
	ended, err := process.Wait()
	close(over)
	if err != nil {
		return err
	}
	wait := ended.Sys().(syscall.WaitStatus)
	return json.NewEncoder(os.NewFile(endFD, "end")).Encode(State{
		Exit:    ended.ExitCode(),
		Refused: wait.Signaled() && wait.Signal() == syscall.SIGSYS,
		Killed:  wait.Signaled() && wait.Signal() == syscall.SIGKILL,
		CPU:     ended.UserTime() + ended.SystemTime(),
	})
}

// startError returns the error for a process that could not be started.
func startError(err error) error {
	for _, refusal := range []error{
		syscall.EPERM, syscall.EACCES, syscall.ENOSPC, syscall.EINVAL, syscall.ENOSYS, syscall.EUSERS,
	} {
		if errors.Is(err, refusal) {
			return &LayerError{Namespaces, fmt.Errorf("clone: %w", refusal)}
		}
	}
	return &LayerError{start, err}
}

// demoteAfter is the processor time for which a process keeps its first priority. Honest tests take less, and on a busy
// machine they take it later.
const demoteAfter = 2 * time.Second

// demote gives a process, which is its own process group, the lowest priority once it has used this processor time, so
// that a program that loops does not delay programs that end. It returns when over is closed, if not before. It does
// nothing to a process that has ended.
func demote(pid int, after time.Duration, over <-chan struct{}) {
	for used := time.Duration(0); used < after; {
		select {
		case <-over:
			return
		case <-time.After(max(after-used, 10*time.Millisecond)):
		}
		var err error
		if used, err = processorTime(pid); err != nil {
			return
		}
	}
	syscall.Setpriority(syscall.PRIO_PGRP, pid, 19)
}

// processorTime returns the processor time that all threads of a process have used. It reads the process's CPU-time
// clock, whose ID it computes from the process ID as clock_getcpuclockid in the C library does.
func processorTime(pid int) (time.Duration, error) {
	const scheduled = 2 // CPUCLOCK_SCHED in include/linux/posix-timers_types.h of the kernel
	var t unix.Timespec
	err := unix.ClockGettime(int32(^pid<<3|scheduled), &t)
	return time.Duration(t.Nano()), err
}

// pipes are the pipes between this process and a new one. Of each pair the first is the end to read from.
type pipes struct {
	empty               [2]*os.File // has no writer
	report, status, end [2]*os.File
}

func newPipes() (*pipes, error) {
	p := &pipes{}
	for _, pair := range []*[2]*os.File{&p.empty, &p.report, &p.status, &p.end} {
		var err error
		if pair[0], pair[1], err = os.Pipe(); err != nil {
			p.close()
			return nil, err
		}
	}
	p.empty[1].Close()
	return p, nil
}

// closeTheirs closes the ends that the new process uses.
func (p *pipes) closeTheirs() {
	for _, f := range []*os.File{p.empty[0], p.report[1], p.status[1], p.end[1]} {
		f.Close()
	}
}

// close closes the pipes that are open.
func (p *pipes) close() {
	for _, pair := range [][2]*os.File{p.empty, p.report, p.status, p.end} {
		pair[0].Close() // closing a file twice, or none, is an error without effect
		pair[1].Close()
	}
}
