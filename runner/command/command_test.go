package command

import (
	"bytes"
	"io"
	"io/fs"
	"net"
	"runtime/debug"
	"strings"
	"testing"
	"testing/fstest"

	"onthestack/runner/settings"
)

func TestExitCodes(t *testing.T) {
	var out, errs bytes.Buffer
	if code := Run([]string{"-h"}, nil, &out, &errs); code != exitOK || errs.Len() > 0 ||
		!strings.Contains(out.String(),
			"Usage: runner [flags]") {
		t.Errorf("exit code %d, %s%s", code, &out, &errs)
	}
	if code := Run([]string{"--no"}, nil, io.Discard, &errs); code != exitUsage ||
		errs.String() != "runner: unknown flag: --no\nTry \"runner --help\".\n" {
		t.Errorf("exit code %d, %s", code, &errs)
	}
}

func TestPortTaken(t *testing.T) {
	taken, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer taken.Close()
	var errs bytes.Buffer
	code := Run([]string{"--addr", taken.Addr().String()}, nil, io.Discard, &errs)
	if code != exitFailed || !strings.Contains(errs.String(),
		"is taken by another program: end that one, or choose another port, such as --addr") {
		t.Errorf("exit code %d, %s", code, &errs)
	}
}

// TestPrepareElsewhere has the runner build the site in a folder that is not the repository's root.
func TestPrepareElsewhere(t *testing.T) {
	t.Chdir(t.TempDir())
	var errs strings.Builder
	code := Run([]string{"--prepare", "on", "--addr", "127.0.0.1:0", "--data", t.TempDir(), "--snippets",
		"off"}, nil, &errs, &errs)
	if code != exitFailed || !strings.Contains(errs.String(), "run it in the repository's root") {
		t.Errorf("exit code %d: %s", code, errs.String())
	}
}

// TestRoomWithoutGo opens a room on a machine without Go.
func TestRoomWithoutGo(t *testing.T) {
	t.Setenv("PATH", t.TempDir())
	var errs strings.Builder
	args := []string{"--addr", "127.0.0.1:0", "--data", t.TempDir(), "--snippets", "off"}
	site := func() (fs.FS, error) { return fstest.MapFS{}, nil }
	code := RunCommand(settings.OneFileRoom, site, args, nil, &errs, &errs)
	if code != exitFailed || !strings.Contains(errs.String(), "onthestack room: a room checks again what participants "+
		"hand in, for which it needs Go: the go command is not on PATH: install Go ") ||
		!strings.Contains(errs.String(), `"onthestack serve" serves the workbook without Go`) {
		t.Errorf("exit code %d: %s", code, errs.String())
	}
}

// TestSetGC reads the collector's settings, which debug.SetGCPercent and SetMemoryLimit return.
func TestSetGC(t *testing.T) {
	percent, limit := debug.SetGCPercent(100), debug.SetMemoryLimit(-1)
	defer debug.SetGCPercent(percent)
	defer debug.SetMemoryLimit(limit)
	setGC(func(name string) (string, bool) { return "50", name == "GOGC" })
	if got := debug.SetGCPercent(100); got != 100 {
		t.Errorf("the user's GOGC became %d", got)
	}
	setGC(func(string) (string, bool) { return "", false })
	if got, most := debug.SetGCPercent(100), debug.SetMemoryLimit(-1); got != gcPercent || most != memoryLimit {
		t.Errorf("collects at %d %%, %d bytes", got, most)
	}
}
