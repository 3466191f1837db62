package expand

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"onthestack/tools/bookalloc/measure"
)

// TestProofPprof records what pprof prints of the fixture's benchmarks, and shows it without what differs in each run.
func TestProofPprof(t *testing.T) {
	root := t.TempDir()
	if err := os.CopyFS(root, os.DirFS("../testdata/workbook")); err != nil {
		t.Fatal(err)
	}
	b := &Book{Dir: "book", Files: os.DirFS(filepath.Join(root, "book")), Pages: []Page{{"first/page.md",
		"{{#pprof first/listings/grow grow\\.Grow$}}\n\n{{#pprof first/listings/grow \"-sample_index=alloc_objects -top\"}}\n\n" +
			"{{#pprof first/listings/grow \"-cpuprofile -top\"}}\n"}}}
	w, err := b.Wanted()
	if err != nil {
		t.Fatal(err)
	}
	m := measure.New(root, "book", t.Logf)
	if err := m.Update(t.Context(), measure.Wanted{Output: w.Output}, false); err != nil {
		t.Fatal(err)
	}
	expanded, err := b.Expand()
	if err != nil {
		t.Fatal(err)
	}
	blocks := strings.Split(expanded[0], "```text\n")
	if len(blocks) != 4 {
		t.Fatalf("got\n%s", expanded[0])
	}
	for i, want := range []string{`^Total: (?s).*kB +11:\t\tzeros = append`,
		`^Type: alloc_objects\nShowing (?s).*\n +4\d{3} .*grow\.Grow `, `^Type: cpu\nShowing `} {
		if !regexp.MustCompile(want).MatchString(blocks[i+1]) || strings.Contains(blocks[i+1], "ANCHOR") {
			t.Errorf("got\n%s\nwant a match of %s", blocks[i+1], want)
		}
	}
}
