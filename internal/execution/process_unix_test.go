//go:build unix

package execution

import (
	"context"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"testing"
	"time"
)

// TestBound proves that the system holds a process, and a process that it starts, to each of the limits.
func TestBound(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("NOT TESTED: the limits on a process, of which only Linux has all")
	}
	out, err := exec.Command("nice").Output()
	own, ownErr := strconv.Atoi(strings.TrimSpace(string(out)))
	if err != nil || ownErr != nil || own > 19-7 {
		t.Fatalf("nice prints %s: %v", out, err)
	}
	limits := ProcessLimits{Memory: 256 << 20, CPU: time.Second, File: 1 << 20, Processes: 7000, Nice: 7}
	for _, c := range []struct {
		name, script, want string
		ok                 bool
	}{
		{"within them", "echo fine", "fine", true},
		{"inherited", "sh -c 'ulimit -v'", "262144", true},
		{"niceness", "sh -c nice", strconv.Itoa(own + 7), true},
		{"no core dumps", "ulimit -c", "0", true},
		{"processes", "ulimit -p", "7000", true},
		{"memory", "dd if=/dev/zero of=/dev/null bs=300M count=1", "", false},
		{"processor time", "while :; do :; done", "", false},
		{"size of a file", "dd if=/dev/zero of=" + filepath.Join(t.TempDir(), "file") + " bs=64k count=32", "", false},
	} {
		if c.name == "processes" && !dash() {
			c.script = "ulimit -u"
		}
		cmd := exec.CommandContext(t.Context(), "sh", "-c", c.script)
		Bound(cmd, limits)
		out, err := cmd.CombinedOutput()
		if (err == nil) != c.ok || c.ok && strings.TrimSpace(string(out)) != c.want {
			t.Errorf("%s: %v, %q", c.name, err, out)
		}
	}
}

func dash() bool {
	return exec.Command("sh", "-c", "ulimit -p 2>/dev/null && ! ulimit -u 2>/dev/null").Run() == nil
}

// TestArguments proves that nothing of a command line is lost or read by the shell.
func TestArguments(t *testing.T) {
	args := []string{"%s|", "a b", "$HOME", "", "'\"`", "*", "\n;"}
	cmd := exec.CommandContext(t.Context(), "printf", args...)
	Bound(cmd, ProcessLimits{Memory: 1 << 30})
	out, err := cmd.Output()
	if want := strings.Join(args[1:], "|") + "|"; err != nil || string(out) != want {
		t.Errorf("%v, %q, want %q", err, out, want)
	}
}

// TestCanceled proves that a canceled command ends with what it started.
func TestCanceled(t *testing.T) {
	for _, limits := range []ProcessLimits{{}, {Memory: 1 << 30}} {
		ctx, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
		defer cancel()
		cmd := exec.CommandContext(ctx, "sh", "-c", "sleep 3600 & wait")
		Bound(cmd, limits)
		// The sleeping process holds the output pipe open, so the output ends only once that process is gone.
		if _, err := cmd.Output(); err == nil {
			t.Errorf("%+v: no error", limits)
		}
	}
}

func TestNoShell(t *testing.T) {
	defer func(f func() (string, error)) { shell = f }(shell)
	shell = func() (string, error) { return "", exec.ErrNotFound }
	cmd := exec.CommandContext(t.Context(), "true")
	if Bound(cmd, ProcessLimits{Memory: 1 << 30}); cmd.Run() == nil {
		t.Error("a command that cannot be bounded runs all the same")
	}
}
