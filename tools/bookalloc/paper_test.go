package main

import (
	"path"
	"regexp"
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
