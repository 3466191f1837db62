package report

import (
	"bytes"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"charm.land/lipgloss/v2"
	"github.com/charmbracelet/colorprofile"
	"golang.org/x/tools/txtar"

	"onthestack/internal/owncode/compare"
	"onthestack/internal/verdict"
)

var update = flag.Bool("update", false, "rewrite the texts in testdata")

// TestComparison renders the comparisons in testdata/compare. Each archive holds old.json and new.json, the texts of
// both sides as old/FILE and new/FILE where they are known, and the text at 80 and at 110 columns and as Markdown.
func TestComparison(t *testing.T) {
	names, err := filepath.Glob(filepath.Join("testdata", "compare", "*.txtar"))
	if err != nil || len(names) == 0 {
		t.Fatalf("no comparison in testdata (%v)", err)
	}
	for _, name := range names {
		t.Run(strings.TrimSuffix(filepath.Base(name), ".txtar"), func(t *testing.T) {
			a, err := txtar.ParseFile(name)
			if err != nil {
				t.Fatal(err)
			}
			c, err := compare.Compare(savedSide(t, a, "old"), savedSide(t, a, "new"))
			if err != nil {
				t.Fatal(err)
			}
			hold := func(golden, text string) {
				if want := string(archived(a, golden)); *update {
					at := slices.IndexFunc(a.Files, func(f txtar.File) bool { return f.Name == golden })
					a.Files[at].Data = []byte(text)
				} else if text != want {
					t.Errorf("%s: got\n%s\nwant\n%s\ngo test ./internal/owncode/report -update rewrites it",
						golden, text, want)
				}
			}
			for _, width := range []int{80, 110} {
				text := plainComparison(c, width)
				within(t, text, width)
				hold(fmt.Sprintf("width%d", width), text)
			}
			var markdown bytes.Buffer
			if err := ComparisonMarkdown(&markdown, c, CommentOptions{All: true}); err != nil {
				t.Fatal(err)
			}
			hold("markdown", markdown.String())
			if *update {
				if err := os.WriteFile(name, txtar.Format(a), 0o666); err != nil {
					t.Fatal(err)
				}
			}
		})
	}
}

func plainComparison(c *compare.Comparison, width int) string {
	var b bytes.Buffer
	Comparison(&colorprofile.Writer{Forward: &b, Profile: colorprofile.NoTTY}, c, true, width)
	return b.String()
}

func archived(a *txtar.Archive, name string) []byte {
	for _, f := range a.Files {
		if f.Name == name {
			return f.Data
		}
	}
	return nil
}

// savedSide is a side of an archive; one without a verdict is missing.
func savedSide(t *testing.T, a *txtar.Archive, side string) compare.Side {
	t.Helper()
	s := compare.Side{Label: side + ".json", Source: func(file string) []byte { return archived(a, side+"/"+file) }}
	if saved := archived(a, side+".json"); saved != nil {
		v, err := compare.Read(bytes.NewReader(saved), s.Label)
		if err != nil {
			t.Fatal(err)
		}
		s.Verdict = v
	}
	return s
}

// TestComparisonControl proves that no text that a verdict quotes controls the terminal.
func TestComparisonControl(t *testing.T) {
	steering := "x\x1b[2J\ry\u009b"
	place := []compare.Place{{File: steering, Line: 1, Func: steering, Code: steering}}
	c := &compare.Comparison{Package: steering, Old: compare.Origin{Label: steering},
		New:   compare.Origin{Label: steering},
		Notes: []string{steering}, OnlyOld: []string{steering},
		Benchmarks: []compare.Benchmark{{Name: steering}, {Name: "b"}},
		Lines: []compare.Line{
			{Kind: compare.Started, Benchmark: steering, New: compare.At{Places: place, Why: steering}},
			{Kind: compare.Stopped, Old: compare.At{Places: place, Why: steering}},
			{Kind: compare.Reason, ReasonChanged: true, Old: compare.At{Places: []compare.Place{{File: "b" + steering,
				Func: steering}}, Why: steering}, New: compare.At{Places: place, Why: "b"}},
		}}
	var b bytes.Buffer
	Comparison(&colorprofile.Writer{Forward: &b, Profile: colorprofile.TrueColor}, c, true, 80)
	for _, steer := range []string{"\x1b[2J", "\r", "\u009b"} {
		if strings.Contains(b.String(), steer) {
			t.Errorf("%q reaches the terminal", steer)
		}
	}
	b.Reset()
	if err := ComparisonMarkdown(&b, c, CommentOptions{}); err != nil {
		t.Fatal(err)
	}
	if strings.ContainsAny(b.String(), "\x1b\r\u009b") {
		t.Errorf("%q", b.String())
	}
}

// FuzzComparison: whatever two verdicts say, their comparison can be written.
func FuzzComparison(f *testing.F) {
	a, err := txtar.ParseFile(filepath.Join("testdata", "compare", "saved.txtar"))
	if err != nil {
		f.Fatal(err)
	}
	f.Add(archived(a, "old.json"))
	f.Add([]byte(`{"schema":"checkalloc/verdict/1","benchmarks":[{"name":"B","ns_per_op":1e18},{"name":"B"}],` +
		`"allocations":[{"benchmark":"B","line":-1,"allocs_per_op":0},{"benchmark":"B","line":-1,"reasons":null}]}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		v, err := compare.Read(bytes.NewReader(data), "x.json")
		other, _ := compare.Read(bytes.NewReader(archived(a, "new.json")), "new.json")
		if err != nil || other == nil {
			return
		}
		for _, sides := range [][2]*verdict.Verdict{{v, other}, {other, v}, {v, v}} {
			c, err := compare.Compare(compare.Side{Verdict: sides[0]}, compare.Side{Verdict: sides[1]})
			if err != nil {
				continue
			}
			plainComparison(c, 80)
			if err := ComparisonMarkdown(io.Discard, c, CommentOptions{}); err != nil {
				t.Error(err)
			}
		}
	})
}

// TestComparisonWriteError proves that the error of a writer is returned.
func TestComparisonWriteError(t *testing.T) {
	c := &compare.Comparison{}
	r, w := io.Pipe()
	r.Close()
	if err := ComparisonMarkdown(w, c, CommentOptions{}); err == nil {
		t.Error("no error")
	}
}

// within proves that no line has color, and that no line is wider than the terminal except lines that quote a program's
// output.
func within(t *testing.T, text string, width int) {
	t.Helper()
	for i, l := range strings.Split(text, "\n") {
		if strings.ContainsRune(l, '\x1b') {
			t.Errorf("line %d has color: %q", i+1, l)
		}
		if lipgloss.Width(l) > width && !strings.HasPrefix(strings.TrimSpace(l), "│") {
			t.Errorf("line %d has %d columns: %s", i+1, lipgloss.Width(l), l)
		}
		if strings.TrimRight(l, " ") != l {
			t.Errorf("line %d ends in blanks: %q", i+1, l)
		}
	}
}
