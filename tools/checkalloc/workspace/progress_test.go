package workspace

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"
	"time"

	"onthestack/internal/exercise"
)

// golden is a progress file that the site's pages write and read too: web/test/unit/progress.test.ts.
const golden = "testdata/progress.json"

// fill makes progress of what the golden file has.
func fill(t *testing.T, p *Progress) {
	t.Helper()
	at := func(text string) *time.Time {
		when, err := time.Parse(time.RFC3339, text)
		if err != nil {
			t.Fatal(err)
		}
		return &when
	}
	*p.Of("exercise1") = State{at("2026-03-01T10:00:00.125Z"), 2, []exercise.Figure{{Name: "BenchmarkReplace", AllocsPerOp: 1, BytesPerOp: 64}}}
	*p.Of("exercise2") = State{Hints: 1}
	*p.Of("exercise4") = State{Last: []exercise.Figure{{Name: "BenchmarkOne", AllocsPerOp: 0.003, BytesPerOp: 1616.5}, {Name: "BenchmarkTwo"}}}
	*p.Of("exercise10") = State{Passed: at("2026-03-02T18:30:15.123456789+01:00")}
	*p.Of("exercise99") = State{Passed: at("2026-03-03T00:00:00Z"), Hints: 4}
}

func TestProgressOfThePage(t *testing.T) {
	want, err := os.ReadFile(golden)
	if err != nil {
		t.Fatal(err)
	}
	saved := func(p *Progress, w *Workspace) []byte {
		t.Helper()
		if err := p.Save(); err != nil {
			t.Fatal(err)
		}
		text, err := os.ReadFile(filepath.Join(w.Root, ".checkalloc", "progress.json"))
		if err != nil {
			t.Fatal(err)
		}
		return text
	}

	w, _, _ := solved(t)
	p, err := w.Progress()
	if err != nil {
		t.Fatal(err)
	}
	fill(t, p)
	if got := saved(p, w); !bytes.Equal(got, want) {
		t.Errorf("written\n%s\nwant\n%s", got, want)
	}

	// What the page exported takes the place of the workspace's own.
	w, _, _ = solved(t)
	if err := os.MkdirAll(filepath.Join(w.Root, ".checkalloc"), 0o755); err != nil {
		t.Fatal(err)
	}
	write(t, filepath.Join(w.Root, ".checkalloc", "progress.json"), string(want))
	p, err = w.Progress()
	if err != nil {
		t.Fatal(err)
	}
	if passed := p.Of("exercise10").Passed; passed == nil || passed.UTC().Format(time.RFC3339Nano) != "2026-03-02T17:30:15.123456789Z" ||
		p.Of("exercise1").Hints != 2 || p.Of("exercise2").Passed != nil || len(p.Of("exercise4").Last) != 2 || p.Of("exercise4").Last[0].BytesPerOp != 1616.5 {
		t.Errorf("%+v", p)
	}
	if got := saved(p, w); !bytes.Equal(got, want) {
		t.Errorf("read and written\n%s\nwant\n%s", got, want)
	}
}
