package measure

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"

	"onthestack/internal/bookdata"
	"onthestack/internal/build"
	"onthestack/internal/gocommand"
)

// The settings under which GCTrace runs the program; a limit of 0 is none.
var (
	gogcs  = []int{50, 100, 200, 400}
	limits = []int{0, 128, 64, 48, 32}
)

// gcRuns is how often the program is run under each combination of settings.
const gcRuns = 3

// gctraced is the program that GCTrace runs.
const gctraced = "collector/listings/churn"

// GCTrace runs a program of the book under each combination of settings of the garbage collector and writes what
// gctrace says. The program goes on allocating while a collection runs, so what delays the collector makes collections
// fewer and the heap larger. Of several runs the one with the most collections is therefore the least disturbed.
func (m *Measurer) GCTrace(ctx context.Context) error {
	dir, err := os.MkdirTemp("", "bookalloc-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	binary := filepath.Join(dir, "churn")
	if _, err := m.run(ctx, gctraced, "go", "build", "-o", binary, "."); err != nil {
		return err
	}
	settings, err := gocommand.Env(ctx, gocommand.Options{Dir: m.packageDir(gctraced), Env: build.Environ()}, "GOVERSION")
	if err != nil {
		return err
	}
	t := &bookdata.GCTrace{Go: settings["GOVERSION"], Platform: runtime.GOOS + "/" + runtime.GOARCH}
	for _, limit := range limits {
		for _, gogc := range gogcs {
			m.Progress("GOGC=%d, limit of %d MiB", gogc, limit)
			var run bookdata.GCRun
			var last string
			for range gcRuns {
				r, line, err := gcRun(ctx, binary, gogc, limit)
				if err != nil {
					return err
				}
				if r.Collections > run.Collections {
					run, last = r, line
				}
			}
			if gogc == 100 && limit == 0 {
				t.Line = last
			}
			t.Runs = append(t.Runs, run)
		}
	}
	return t.Write(m.folder())
}

// gcRun runs the program once, and returns the last line about a collection, too.
func gcRun(ctx context.Context, binary string, gogc, limit int) (run bookdata.GCRun, last string, err error) {
	run = bookdata.GCRun{GOGC: gogc, Limit: limit}
	cmd := exec.CommandContext(ctx, binary)
	cmd.Env = []string{"GODEBUG=gctrace=1", fmt.Sprintf("GOGC=%d", gogc)}
	if limit > 0 {
		cmd.Env = append(cmd.Env, fmt.Sprintf("GOMEMLIMIT=%dMiB", limit))
	}
	var trace bytes.Buffer
	cmd.Stderr = &trace
	if err := cmd.Run(); err != nil {
		return run, "", fmt.Errorf("run %s with GOGC=%d and a limit of %d MiB: %w", gctraced, gogc, limit, err)
	}
	for line := range strings.Lines(trace.String()) {
		if run.Add(line) {
			last = strings.TrimSpace(line)
		}
	}
	if run.Collections == 0 {
		return run, "", fmt.Errorf("gctrace says nothing about %s with GOGC=%d and a limit of %d MiB", gctraced, gogc,
			limit)
	}
	return run, last, nil
}
