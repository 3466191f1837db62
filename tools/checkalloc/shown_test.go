package main

import (
	"bytes"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"onthestack/internal/exercise"
)

// shownRuns are the runs of checkalloc that a page of the book shows, on files that stand above them.
type shownRuns struct {
	page   string         // its folder
	update string         // the test that writes them with -update
	ignore *regexp.Regexp // what may differ; nil for nothing
}

// shownBlock matches a block of Go or of text on a page of the book.
var shownBlock = regexp.MustCompile("(?s)```(go|text)\n(.*?)```")

// compare lays out the page's files in a module of their own, runs each command, of which there are so many, and
// compares what it prints with what the page says. Blocks with several commands are told of, and not run.
func (s shownRuns) compare(t *testing.T, runs int, ok func(code int, out string) bool) {
	t.Helper()
	name, err := filepath.Abs(filepath.Join("..", "..", "book", s.page, "README.md"))
	if err != nil {
		t.Fatal(err)
	}
	page, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	t.Chdir(t.TempDir())
	write := func(name string, text []byte) {
		if err := os.WriteFile(name, text, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	write("go.mod", []byte("module example.com/label\n\ngo 1.26.0\n"))
	ran := 0
	for _, block := range shownBlock.FindAllSubmatch(page, -1) {
		if string(block[1]) == "go" {
			file := "label.go"
			if bytes.Contains(block[2], []byte("func Benchmark")) {
				file = "label_test.go"
			}
			write(file, block[2])
			continue
		}
		command, want, _ := strings.Cut(string(block[2]), "\n")
		arguments, shown := strings.CutPrefix(command, "$ checkalloc ")
		if !shown || strings.Contains(want, "$ ") {
			continue
		}
		ran++
		var out, stderr bytes.Buffer
		code := runOn(exercise.Catalog{}, strings.Fields(arguments), &out, &stderr)
		if !ok(code, out.String()) {
			t.Fatalf("%s: exit code %d\n%s\n%s", command, code, out.String(), stderr.String())
		}
		got := strings.TrimRight(out.String(), "\n") + "\n"
		switch {
		case *update:
			page = bytes.Replace(page, block[0], []byte("```text\n"+command+"\n"+got+"```"), 1)
		case s.without(got) != s.without(want):
			t.Errorf("%s prints\n%s\nthe page says\n%s\ngo test ./tools/checkalloc -run %s -update writes it", command, got, want, s.update)
		}
	}
	if ran != runs {
		t.Fatalf("the page shows %d runs, not %d", ran, runs)
	}
	if *update {
		write(name, page)
	}
}

func (s shownRuns) without(text string) string {
	if s.ignore == nil {
		return text
	}
	return s.ignore.ReplaceAllString(text, "")
}
