package main

import (
	"bytes"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"onthestack/internal/workspace"
	"onthestack/tools/checkalloc/app"
)

// elsewhere is a standard output that calls happens before its first write.
type elsewhere struct {
	io.Writer
	happens func()
}

func (e *elsewhere) Write(p []byte) (int, error) {
	if e.happens != nil {
		e.happens()
		e.happens = nil
	}
	return e.Writer.Write(p)
}

// TestAllBesideOthers changes the progress while all exercises are checked: by another process that shows a hint, and
// by a progress file that a page exported. Neither change is lost.
func TestAllBesideOthers(t *testing.T) {
	exported, err := os.ReadFile("../../internal/workspace/testdata/progress.json")
	if err != nil {
		t.Fatal(err)
	}
	for name, test := range map[string]struct {
		happens func(t *testing.T, ws string, env []string)
		hints   map[string]int
		passed  string
	}{
		"a hint": {func(t *testing.T, ws string, env []string) {
			// These run in another goroutine, from which the test cannot end.
			program, err := exec.LookPath("checkalloc")
			if err != nil {
				t.Error(err)
			}
			for _, id := range []string{"exercise7", "exercise6", "exercise7"} {
				cmd := exec.Command(program, "hint", id, "--dir", ws)
				cmd.Env = append(os.Environ(), env...)
				if out, err := cmd.CombinedOutput(); err != nil {
					t.Errorf("%v: %s", err, out)
				}
			}
		}, map[string]int{"exercise6": 1, "exercise7": 2}, ""},
		"a page's file": {func(t *testing.T, ws string, _ []string) {
			dir := filepath.Join(ws, ".checkalloc")
			if err := errors.Join(os.MkdirAll(dir, 0o777),
				os.WriteFile(filepath.Join(dir, "progress.json"), exported, 0o666)); err != nil {
				t.Error(err)
			}
		}, map[string]int{"exercise6": 2, "exercise7": 1, "exercise99": 4}, "exercise15"},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			if err := layFixture(dir); err != nil {
				t.Fatal(err)
			}
			ws, sealed := filepath.Join(dir, "ws"), filepath.Join(dir, "catalog")
			catalog, err := loadCatalog(sealed)
			if err != nil {
				t.Fatal(err)
			}
			var out, complaints bytes.Buffer
			happens := func() { test.happens(t, ws, []string{"CATALOG=" + sealed}) }
			code := runOn(catalog, []string{"all", "--dir", ws}, &elsewhere{&out, happens}, &complaints)
			// A check that takes long says so, on a machine that is slow or busy.
			complained := false
			for line := range strings.Lines(complaints.String()) {
				complained = complained || !strings.HasPrefix(line, "checking exercise")
			}
			if code != app.ExitNotYet || complained {
				t.Fatalf("exit code %d: %s%s", code, &out, &complaints)
			}
			progress, err := (&workspace.Workspace{Root: ws}).Progress()
			if err != nil {
				t.Fatal(err)
			}
			for id, n := range test.hints {
				if got := progress.Of(id).Hints; got != n {
					t.Errorf("%s: %d hints, want %d", id, got, n)
				}
			}
			if id := test.passed; id != "" && progress.Of(id).Passed.Before(time.Date(2026, 1, 1, 0, 0, 0, 0,
				time.UTC)) {
				t.Errorf("%s: passed %v", id, progress.Of(id).Passed)
			}
			for _, id := range []string{"exercise6", "exercise7"} {
				if last := progress.Of(id).Last; len(last) != 1 || last[0].AllocsPerOp != 4 {
					t.Errorf("%s: figures %v of the check", id, last)
				}
			}
		})
	}
}
