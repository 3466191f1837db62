package main

import (
	"os"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// TestOutputs tests that the chapters that teach, which are the ones before Everyday Go, have the output of each
// program that a page runs, so that readers on paper see it too. Tasks are left out: their output depends on the
// reader. In the later chapters a grid or the compiler's report has what a program shows.
func TestOutputs(t *testing.T) {
	_, book, err := openBook()
	if err != nil {
		t.Fatal(err)
	}
	programs := 0
	for _, p := range book.Pages {
		if path.Dir(p.Path) == "everyday-go" {
			break
		}
		for _, m := range regexp.MustCompile(`(?m)^\{\{#run (\S+)/main\.go:(\w+)\}\}$`).FindAllStringSubmatch(p.Text, -1) {
			if m[2] == "task" {
				continue
			}
			if programs++; !strings.Contains(p.Text, "\n{{#output "+m[1]+"}}\n") {
				t.Errorf("book/%s runs %s without its output: add {{#output %s}}", p.Path, m[1], m[1])
			}
		}
	}
	if programs < 15 {
		t.Errorf("found only %d programs", programs)
	}
}

// TestTries tests that each section Try of the book has an answer.
func TestTries(t *testing.T) {
	_, book, err := openBook()
	if err != nil {
		t.Fatal(err)
	}
	answer := regexp.MustCompile(`(?s)\n<details><summary>Answers?</summary>\n\n.{40,}?\n\n</details>\n`)
	tries := 0
	for _, p := range book.Pages {
		for i, section := range strings.Split("\n"+p.Text, "\n## ") {
			if title, _, _ := strings.Cut(section, "\n"); i == 0 || !strings.HasPrefix(title, "Try") {
				continue
			}
			if tries++; !answer.MatchString(section) {
				t.Errorf("book/%s: Try has no <details><summary>Answer</summary>", p.Path)
			}
		}
	}
	if tries < 70 {
		t.Errorf("found only %d sections", tries)
	}
}

// TestCallsOfTime tests a statement about interpolation/listings/digits: the methods of time.Time that would each take
// the time apart are as many as the page says, and return what the listing gets of Date and Clock.
func TestCallsOfTime(t *testing.T) {
	page, err := os.ReadFile("../../book/interpolation/time.md")
	if err != nil {
		t.Fatal(err)
	}
	listing, err := os.ReadFile("../../book/interpolation/listings/digits/interpolate.go")
	if err != nil {
		t.Fatal(err)
	}
	statement := regexp.MustCompile("(?s)Calling ((?:`t\\.\\w+\\(\\)`[,\\s]*(?:and\\s+)?)+) would do it\\s+(\\w+) times").
		FindSubmatch(page)
	if statement == nil {
		t.Fatal("time.md does not say how often other calls would take the time apart")
	}
	var called, parts []string
	for _, m := range regexp.MustCompile(`t\.(\w+)\(\)`).FindAllSubmatch(statement[1], -1) {
		called = append(called, strings.ToLower(string(m[1])))
	}
	for _, m := range regexp.MustCompile(`(\w+), (\w+), (\w+) := t\.(?:Date|Clock)\(\)`).FindAllSubmatch(listing, -1) {
		parts = append(parts, string(m[1]), string(m[2]), string(m[3]))
	}
	numbers := []string{"no", "one", "two", "three", "four", "five", "six", "seven"}
	if !slices.Equal(called, parts) || len(called) >= len(numbers) || numbers[len(called)] != string(statement[2]) {
		t.Errorf("time.md names %q, says %s, and the listing gets %q of two calls", called, statement[2], parts)
	}
}

// TestLabelSizes tests that the two pages with BenchmarkLabels differ in the bytes as their names do: a label of "nut"
// takes half of a block of 16 bytes, and one of the longer name takes a slot of 24.
func TestLabelSizes(t *testing.T) {
	bytesOf := func(page, pattern string) int {
		text, err := os.ReadFile("../../book/" + page)
		if err != nil {
			t.Fatal(err)
		}
		m := regexp.MustCompile(pattern).FindSubmatch(text)
		if m == nil {
			t.Fatalf("%s has no match of %s", page, pattern)
		}
		n, _ := strconv.Atoi(string(m[1]))
		return n
	}
	short := bytesOf("proven-edits/README.md", `allocs/op, (\d+) → \d+ B/op`)
	long := bytesOf("in-your-editor/README.md", `106 allocs/op · (\d+) B`)
	each := bytesOf("in-your-editor/README.md", `hundred labels takes (\d+) bytes`)
	if saved := bytesOf("in-your-editor/README.md", `bytes and not (\d+)\.`); long-short != 100*(each-saved) {
		t.Errorf("%d and %d B/op differ by %d, and the labels by 100 times %d", short, long, long-short, each-saved)
	}
}
