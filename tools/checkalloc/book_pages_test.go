package main

import (
	"bytes"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"onthestack/internal/exercise"
	"onthestack/tools/checkalloc/app"
)

// pageRuns are the runs of checkalloc that a page of the book shows, on files that it shows above them.
type pageRuns struct {
	page   string         // its folder
	update string         // the test that writes them with -update
	ignore *regexp.Regexp // what may differ; nil for nothing
}

// pageBlock matches a block of Go or of text on a page of the book.
var pageBlock = regexp.MustCompile("(?s)```(go|text)\n(.*?)```")

// compare writes the page's files into a module, runs each command, and compares its output with the page. The page has
// to show as many commands as runs says. Blocks with several commands are only described, and not run.
func (s pageRuns) compare(t *testing.T, runs int, ok func(code int, out string) bool) {
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
	for _, block := range pageBlock.FindAllSubmatch(page, -1) {
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
			t.Errorf("%s prints\n%s\nthe page says\n%s\ngo test ./tools/checkalloc -run %s -update writes it", command,
				got, want, s.update)
		}
	}
	if ran != runs {
		t.Fatalf("the page shows %d runs, not %d", ran, runs)
	}
	if *update {
		write(name, page)
	}
}

func (s pageRuns) without(text string) string {
	if s.ignore == nil {
		return text
	}
	return s.ignore.ReplaceAllString(text, "")
}

// noisy matches the output of explain that differs from machine to machine: times, numbers of operations, the release
// and the platform.
var noisy = regexp.MustCompile(` +[0-9.]+ ns/op| +N = \d+| +go1\.\S+ \w+/\w+`)

// TestExplainPage runs explain and escape as the book's page on the reader's own code shows.
func TestExplainPage(t *testing.T) {
	runs := pageRuns{page: "your-own-code", update: "ExplainPage", ignore: noisy}
	runs.compare(t, 2, func(code int, _ string) bool { return code == app.ExitPassed })
}

// TestSuggestPage runs suggest as the book's page on proven edits shows.
func TestSuggestPage(t *testing.T) {
	runs := pageRuns{page: "proven-edits", update: "SuggestPage", ignore: noisy}
	runs.compare(t, 1, func(code int, _ string) bool { return code == app.ExitPassed })
}

// TestGuardPage runs guard as the book's page on budgets shows: once with budgets that hold, and once with one that
// does not.
func TestGuardPage(t *testing.T) {
	t.Setenv("GITHUB_ACTIONS", "")
	runs := pageRuns{page: "holding-a-budget", update: "GuardPage"}
	runs.compare(t, 2, func(code int, out string) bool {
		return code <= app.ExitNotYet && strings.HasSuffix(out, ", 0 do not\n") == (code == app.ExitPassed)
	})
}
