package site

import (
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"testing"

	"onthestack/internal/bookdata"
)

func TestDiffLines(t *testing.T) {
	var lines []DiffLine
	for _, line := range []string{"@@ -1,4 +1,4 @@", " ", " a", "-b", "+c", " ", "@@ -9,2 +9,2 @@", "",
		" ", "-", "+e", " "} {
		lines = append(lines, diffLine(line))
	}
	want := []DiffLine{
		{"skip", ""}, {"same", "a"}, {"gone", "b"}, {"new", "c"},
		{"skip", ""}, {"same", ""}, {"gone", ""}, {"new", "e"},
	}
	if got := trimmed(lines); !slices.Equal(got, want) {
		t.Errorf("got  %q\nwant %q", got, want)
	}
}

// TestMisconceptionsMeasured tests that the site's data has the misconceptions of the repository, with their measured
// results.
func TestMisconceptionsMeasured(t *testing.T) {
	root := filepath.Join("..", "..", "..")
	measured, err := bookdata.ReadMeasuredMisconceptions(os.DirFS(filepath.Join(root, "book")))
	if err != nil {
		t.Fatal(err)
	}
	if len(measured.Exercises) == 0 {
		t.Fatal("no exercise has a misconception")
	}
	for id, turns := range measured.Exercises {
		files := map[string][]byte{}
		names, err := fs.Glob(os.DirFS(root), bookdata.MisconceptionPath(id, "*"))
		if err != nil {
			t.Fatal(err)
		}
		for _, name := range names {
			if files[path.Base(name)], err = os.ReadFile(filepath.Join(root, name)); err != nil {
				t.Fatal(err)
			}
		}
		there, err := bookdata.ParseMisconceptions(id, files)
		if err != nil {
			t.Fatal(err)
		}
		var shown []bookdata.Misconception
		for _, turn := range turns {
			shown = append(shown, turn.Misconception)
		}
		if !slices.Equal(shown, there) {
			t.Errorf(
				"%s: %s has other misconceptions than %s: run %q",
				id,
				bookdata.MisconceptionsFile,
				bookdata.MisconceptionDir(id),
				bookdata.MisconceptionsCommand,
			)
		}
	}
}
