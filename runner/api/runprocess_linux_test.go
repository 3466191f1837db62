package api

import (
	"bufio"
	"context"
	"fmt"
	"os"
	"os/exec"
	"slices"
	"strings"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"

	"onthestack/internal/execution"
)

// processState returns the state of a process, "T" if it is suspended; see proc(5).
func processState(t *testing.T, pid int) string {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		t.Fatal(err)
	}
	return strings.Fields(string(text[strings.LastIndexByte(string(text), ')')+1:]))[0]
}

// TestSuspend suspends and resumes a process, and kills it while it is suspended.
func TestSuspend(t *testing.T) {
	cmd := exec.CommandContext(t.Context(), "sh", "-c", "while :; do :; done")
	execution.Bound(cmd, execution.ProcessLimits{Nice: 1})
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	for range 2 {
		suspend(cmd.Process, true)
		waitFor(t, "the process to be suspended", func() bool { return processState(t, cmd.Process.Pid) == "T" })
		suspend(cmd.Process, false)
		waitFor(t, "the process to run", func() bool { return processState(t, cmd.Process.Pid) == "R" })
	}
	suspend(cmd.Process, true)
	if err := cmd.Cancel(); err != nil {
		t.Error(err)
	}
	if err := cmd.Wait(); err == nil {
		t.Error("the process was not killed")
	}
	suspend(cmd.Process, true) // has no effect
}

// suspendedCommand has the test binary start a process as runInProcess does, suspend it, print its ID, and wait.
const suspendedCommand = "start-suspended"

func init() {
	if !slices.Equal(os.Args[1:], []string{suspendedCommand}) {
		return
	}
	cmd := exec.CommandContext(context.Background(), "sleep", "3600")
	execution.Bound(cmd, execution.ProcessLimits{Nice: backgroundNice})
	endWithServer(cmd)
	if err := cmd.Start(); err != nil {
		panic(err)
	}
	suspend(cmd.Process, true)
	fmt.Println(cmd.Process.Pid)
	select {}
}

// TestSuspendedEndsWithServer kills a server while a process of its is suspended. Its process group is not orphaned,
// because another process of the session adopts it, so that the kernel would not continue it.
func TestSuspendedEndsWithServer(t *testing.T) {
	if err := unix.Prctl(unix.PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0); err != nil {
		t.Fatal(err)
	}
	defer unix.Prctl(unix.PR_SET_CHILD_SUBREAPER, 0, 0, 0, 0)
	server := exec.Command(os.Args[0], suspendedCommand)
	out, err := server.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := server.Start(); err != nil {
		t.Fatal(err)
	}
	var pid int
	if _, err := fmt.Fscan(bufio.NewReader(out), &pid); err != nil {
		t.Fatal(err)
	}
	waitFor(t, "the process to be suspended", func() bool { return processState(t, pid) == "T" })
	server.Process.Kill()
	server.Wait()
	waitFor(t, "the process to end", func() bool {
		ended, err := syscall.Wait4(pid, nil, syscall.WNOHANG, nil)
		if err != nil {
			t.Fatal(err)
		}
		return ended == pid
	})
}
