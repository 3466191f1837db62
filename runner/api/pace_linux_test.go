package api

import (
	"fmt"
	"os"
	"os/exec"
	"strings"
	"sync/atomic"
	"testing"

	"onthestack/internal/confine"
)

// TestPace holds that a process is stopped at times while requests wait, runs between these times, runs on when no
// request waits any more, and can be killed while it is stopped.
func TestPace(t *testing.T) {
	cmd := exec.CommandContext(t.Context(), "sh", "-c", "while :; do :; done")
	confine.Bound(cmd, confine.Limits{})
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	state := func() string { // "T" if it is stopped; see proc(5)
		text, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", cmd.Process.Pid))
		if err != nil {
			t.Fatal(err)
		}
		return strings.Fields(string(text[strings.LastIndexByte(string(text), ')')+1:]))[0]
	}
	var crowded atomic.Bool
	crowded.Store(true)
	ended, returned := make(chan struct{}), make(chan struct{})
	go func() { pace(cmd, crowded.Load, ended); close(returned) }()
	for range 2 {
		waitFor(t, "the process to be stopped", func() bool { return state() == "T" })
		waitFor(t, "the process to run", func() bool { return state() == "R" })
	}
	waitFor(t, "the process to be stopped", func() bool { return state() == "T" })
	crowded.Store(false)
	waitFor(t, "the process to run", func() bool { return state() == "R" })
	crowded.Store(true)
	waitFor(t, "the process to be stopped", func() bool { return state() == "T" })
	if err := cmd.Cancel(); err != nil {
		t.Error(err)
	}
	if err := cmd.Wait(); err == nil {
		t.Error("the process was not killed")
	}
	close(ended)
	<-returned
}
