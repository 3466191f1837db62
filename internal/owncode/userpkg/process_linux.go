package userpkg

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"syscall"
	"time"
)

// ownLimit returns the limit that a program has for itself, 0 for none: runWithUs ends it. Without a timer, the Go
// runtime finds out that all goroutines wait for each other, and says so.
func ownLimit(time.Duration) time.Duration { return 0 }

// runWithUs runs a command that ends if this process does. It calls started when the command has started.
func runWithUs(cmd *exec.Cmd, started func()) error {
	// The signal is sent when the thread that started the command ends.
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	if cmd.SysProcAttr == nil {
		cmd.SysProcAttr = &syscall.SysProcAttr{}
	}
	cmd.SysProcAttr.Pdeathsig = syscall.SIGKILL
	if err := cmd.Start(); err != nil {
		return err
	}
	started()
	return cmd.Wait()
}

// timeOf returns the times of the threads that a process has now.
func timeOf(pid int) (sum processorTime) {
	files, err := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/schedstat", pid))
	if err != nil {
		return processorTime{}
	}
	for _, name := range files {
		text, err := os.ReadFile(name)
		if err != nil {
			continue // the thread has ended
		}
		var t processorTime
		if _, err := fmt.Fscan(bytes.NewReader(text), &t.running, &t.waiting); err == nil {
			sum.running += t.running
			sum.waiting += t.waiting
		}
	}
	return sum
}
