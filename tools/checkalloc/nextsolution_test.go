package main

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"onthestack/internal/exercise"
)

// remedies are the remedies in testdata/next.txt.
var remedies = []struct {
	says       string   // a part of the text
	techniques []string // an exercise that practices one of them may say so
	does       string   // a pattern that its solution matches more often than its starter; "" where none can tell
}{
	{"with the capacity that it will need", []string{"growth"}, `make\(\[\]|\.Grow\(`},
	{"strings.Builder that is grown once", []string{"growth"}, `\.Grow\(`},
	{"clear the map", []string{"scratch"}, `clear\(`},
	{"use the slice again", []string{"scratch"}, `\[:0\]`},
	{"object that is on the heap already", []string{"scratch"}, ``},
	{"into a bytes.Buffer that is used again", []string{"scratch"}, `ReadFrom\(`},
	{"compile the expression once", []string{"scratch"}, `\*regexp\.Regexp`},
	{"make one timer, and call Reset", []string{"scratch"}, `timer\.Reset\(`},
	{"sync.Pool", []string{"pool"}, `sync\.Pool`},
	{"array", []string{"size"}, `var \w+ \[\w+\]`},
	{"append to a []byte", []string{"append"}, `append\(|\.Append`},
	{"as a string or as a []byte throughout", []string{"conversion"}, ``},
	{"a type parameter", []string{"type-parameter"}, `func \w+\[\w+ `},
	{"store a pointer that exists already", []string{"pointer"}, ``},
	{"the value instead of a pointer", []string{"value"}, ``},
	{"the interface", []string{"interface"}, ``},
	{"a part of the slice that their receiver has", []string{"reslice"}, ``},
	{"the objects must become smaller", []string{"size-class"}, ``},
	{"look for a result that is a part of something longer", []string{"clone", "closure"}, ``},
	{"start fewer goroutines", []string{"closure"}, ``},
}

// end matches a text about the line on which several values get to the heap.
var end = regexp.MustCompile(`get to the heap on line (\d+):`)

// TestNextSolutions compares each next step in testdata/next.txt with what the exercise practices and with its
// solution. It runs no check.
func TestNextSolutions(t *testing.T) {
	catalog, err := exercise.Sealed()
	if err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(filepath.Join("testdata", "next.txt"))
	if err != nil {
		t.Fatal(err)
	}
	steps := map[string]string{} // in one line, by its header
	header := ""
	for line := range strings.Lines(string(text)) {
		if strings.HasPrefix(line, "exercise") {
			header = strings.TrimSpace(line)
			steps[header] = ""
		} else {
			steps[header] += strings.TrimSpace(line) + " "
		}
	}
	if len(steps) != len(catalog) {
		t.Errorf("testdata/next.txt has %d exercises of %d", len(steps), len(catalog))
	}
	for _, e := range catalog {
		step, ok := steps[e.ID+" ("+strings.Join(e.Techniques, ", ")+")"]
		if !ok {
			t.Errorf("%s: testdata/next.txt does not have it with its techniques, %v", e.ID, e.Techniques)
		}
		if step = strings.TrimSpace(step); step != "" {
			leads(t, e, step)
		}
	}
}

// leads tests that a step leads toward the solution of e, as far as its text can tell.
func leads(t *testing.T, e *exercise.Exercise, step string) {
	starter, solution := textOf(e, e.Starter()), textOf(e, e.Solution)
	if m := end.FindStringSubmatch(step); m != nil {
		line, _ := strconv.Atoi(m[1])
		around := strings.Split(starter, "\n")[line-2 : line+1]
		if strings.Contains(solution, strings.Join(around, "\n")) {
			t.Errorf("%s: the solution changes nothing around line %d: %s", e.ID, line, step)
		}
		return
	}
	named, done := 0, 0
	for _, r := range remedies {
		if !strings.Contains(step, r.says) {
			continue
		}
		named++
		if !slices.ContainsFunc(r.techniques, func(id string) bool { return slices.Contains(e.Techniques, id) }) {
			t.Errorf("%s practices %v, and none of %v: %s", e.ID, e.Techniques, r.techniques, step)
		}
		does := regexp.MustCompile(r.does)
		if r.does == "" || len(does.FindAllString(solution, -1)) > len(does.FindAllString(starter, -1)) {
			done++
		}
	}
	switch {
	case named == 0:
		t.Errorf("%s: add the remedy to the list in this file: %s", e.ID, step)
	case done == 0:
		t.Errorf("%s: its solution does nothing like that: %s", e.ID, step)
	}
}

// textOf returns the text of the first file to edit.
func textOf(e *exercise.Exercise, files map[string][]byte) string { return string(files[e.Edit[0]]) }
