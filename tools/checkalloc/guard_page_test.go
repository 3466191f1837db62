package main

import (
	"bytes"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"onthestack/internal/exercise"
	"onthestack/internal/sandbox"
)

// shownBlock matches a block of Go or of text on a page of the book.
var shownBlock = regexp.MustCompile("(?s)```(go|text)\n(.*?)```")

// TestGuardPage lays out the files that the book's page on budgets shows, in a module of their own, runs each guard that it shows
// on those that stand above it, and compares what it prints.
func TestGuardPage(t *testing.T) {
	name, err := filepath.Abs(filepath.Join("..", "..", "book", "holding-a-budget", "README.md"))
	if err != nil {
		t.Fatal(err)
	}
	page, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	t.Chdir(t.TempDir())
	t.Setenv("GITHUB_ACTIONS", "")
	write := func(name string, text []byte) {
		if err := os.WriteFile(name, text, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	write("go.mod", []byte("module example.com/label\n\ngo 1.26.0\n"))
	const shown = "$ checkalloc guard ./...\n"
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
		want, ok := bytes.CutPrefix(block[2], []byte(shown))
		if !ok {
			continue
		}
		ran++
		var out, stderr bytes.Buffer
		code := runWith(exercise.Catalog{}, sandbox.CheckLimits(), "checkalloc", []string{"guard", "./..."}, streams{in: strings.NewReader(""), out: &out, err: &stderr})
		if holds := strings.HasSuffix(out.String(), ", 0 do not\n"); code > exitNotYet || holds != (code == exitPassed) {
			t.Fatalf("exit code %d\n%s\n%s", code, out.String(), stderr.String())
		}
		if *update {
			page = bytes.Replace(page, block[0], []byte("```text\n"+shown+out.String()+"```"), 1)
		} else if out.String() != string(want) {
			t.Errorf("guard prints\n%s\nthe page says\n%s\ngo test ./tools/checkalloc -run GuardPage -update writes it", out.String(), want)
		}
	}
	if ran != 2 {
		t.Fatalf("the page shows %d runs of guard, not one that holds and one that does not", ran)
	}
	if *update {
		write(name, page)
	}
}
