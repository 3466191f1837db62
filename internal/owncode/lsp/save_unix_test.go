//go:build unix

package lsp

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
)

// TestSave cancels a measurement under way by a save, and the next one by the user. The programs that they run end.
func TestSave(t *testing.T) {
	hang := filepath.Join(t.TempDir(), "pid")
	t.Setenv("HANG", hang)
	c := connect(t, object{"measureOnSave": true})
	c.open("label_test.go")
	if got := c.seen(); got != "" {
		t.Errorf("something is measured on opening a file: %q", got)
	}
	c.tell("textDocument/didSave", c.at("label_test.go", 0, 0))
	first := c.hanging(hang)
	c.tell("textDocument/didSave", c.at("label_test.go", 0, 0))
	c.ends(first)
	second := c.hanging(hang)
	c.mu.Lock()
	token := c.created[1]
	c.mu.Unlock()
	c.tell("window/workDoneProgress/cancel", object{"token": token})
	c.ends(second)

	ctx, cancel := context.WithCancel(t.Context())
	go c.hanging(hang, cancel)
	if err := c.execute(ctx, commandMeasure, ""); err == nil {
		t.Error("a request that was cancelled has a result")
	}

	go c.hanging(hang, func() {
		c.tell("workspace/didChangeConfiguration",
			object{"settings": object{"checkalloc": object{"benchtime": "100x"}}})
	})
	if err := c.execute(t.Context(), commandMeasure, ""); err == nil ||
		!strings.Contains(err.Error(), "cancelled, since the settings have changed") {
		t.Errorf("after a change of settings: %v", err)
	}

	// The editor dies during a measurement.
	go c.execute(context.Background(), commandMeasure, "")
	last := c.hanging(hang)
	c.in.Close()
	c.wait()
	c.ends(last)
	if c.polite {
		t.Error("nobody has asked for the end")
	}
}

// hanging waits for the benchmark to begin, and returns its process. It then calls the functions.
func (c *client) hanging(file string, then ...context.CancelFunc) (pid string) {
	for deadline := time.Now().Add(time.Minute); time.Now().Before(deadline); time.Sleep(10 * time.Millisecond) {
		if text, err := os.ReadFile(file); err == nil && len(text) > 0 {
			os.Remove(file)
			for _, f := range then {
				f()
			}
			return string(text)
		}
	}
	c.t.Error("the benchmark does not begin")
	return ""
}

// ends waits for a process to end.
func (c *client) ends(pid string) {
	for deadline := time.Now().Add(time.Minute); time.Now().Before(deadline); time.Sleep(10 * time.Millisecond) {
		if !running(pid) {
			return
		}
	}
	c.t.Errorf("process %s still runs", pid)
}

// running reports whether a process exists.
func running(pid string) bool {
	n, err := strconv.Atoi(pid)
	return err == nil && !errors.Is(syscall.Kill(n, 0), syscall.ESRCH)
}
