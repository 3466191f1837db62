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

// noisy matches what differs from machine to machine in what explain prints: the time, the release and the platform.
var noisy = regexp.MustCompile(` +[0-9.]+ ns/op| +go1\.\S+ \w+/\w+`)

// TestExplainPage lays out the files that the book's page on a reader's own code shows, in a module of their own, runs explain and
// escape on them as the page does, and compares what they print. Commands that print nothing on the page are not run.
func TestExplainPage(t *testing.T) {
	name, err := filepath.Abs(filepath.Join("..", "..", "book", "your-own-code", "README.md"))
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
		arguments, ok := strings.CutPrefix(command, "$ checkalloc ")
		if !ok || strings.Contains(want, "$ ") {
			continue // several commands, which are told of
		}
		ran++
		var out, stderr bytes.Buffer
		if code := runWith(exercise.Catalog{}, sandbox.CheckLimits(), "checkalloc", strings.Fields(arguments), streams{in: strings.NewReader(""), out: &out, err: &stderr}); code != exitPassed {
			t.Fatalf("%s: exit code %d\n%s\n%s", command, code, out.String(), stderr.String())
		}
		got := strings.TrimRight(out.String(), "\n") + "\n"
		if *update {
			page = bytes.Replace(page, block[0], []byte("```text\n"+command+"\n"+got+"```"), 1)
		} else if noisy.ReplaceAllString(got, "") != noisy.ReplaceAllString(want, "") {
			t.Errorf("%s prints\n%s\nthe page says\n%s\ngo test ./tools/checkalloc -run ExplainPage -update writes it", command, got, want)
		}
	}
	if ran != 2 {
		t.Fatalf("the page shows %d runs, not one of explain and one of escape", ran)
	}
	if *update {
		write(name, page)
	}
}
