package main

import (
	"bytes"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"onthestack/internal/exercise"
	"onthestack/internal/sandbox"
	"onthestack/tools/checkalloc/app"
	"onthestack/tools/checkalloc/command"
)

// console matches a console block that runs checkalloc: the arguments, then the output.
var console = regexp.MustCompile("(?s)```console\n\\$ go run \\./tools/checkalloc ?([^\n]*)\n(.*?)```")

var releaseName = regexp.MustCompile(`go1\.\d+(\.\d+)? \w+/\w+`)

// TestReadme runs each checkalloc command that README.md shows, in a fresh workspace, and compares what it prints.
func TestReadme(t *testing.T) {
	name := filepath.Join("..", "..", "README.md")
	text, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	blocks := console.FindAllSubmatch(text, -1)
	if len(blocks) == 0 {
		t.Fatal("README.md shows no checkalloc command")
	}
	catalog, err := exercise.Sealed()
	if err != nil {
		t.Fatal(err)
	}
	asInReadme := func(args []string, stdout, stderr io.Writer) int {
		a := app.New(catalog, sandbox.CheckLimits(), "go run ./tools/checkalloc", strings.NewReader(""), stdout, stderr)
		return command.Run(a, args)
	}
	for _, block := range blocks {
		dir := t.TempDir()
		var out, stderr bytes.Buffer
		if code := asInReadme([]string{"init", dir}, io.Discard, &stderr); code != app.ExitPassed {
			t.Fatalf("init: exit code %d\n%s", code, stderr.Bytes())
		}
		args := append(strings.Fields(string(block[1])), "--dir", dir)
		if code := asInReadme(args, &out, &stderr); code > app.ExitNotYet {
			t.Fatalf("%s: exit code %d\n%s", block[1], code, stderr.Bytes())
		}
		if *update {
			text = bytes.Replace(text, block[0], []byte("```console\n$ go run ./tools/checkalloc "+string(block[1])+
				"\n"+
				out.String()+"```"), 1)
			continue
		}
		// The release and the platform depend on the machine.
		got, want := releaseName.ReplaceAllString(out.String(), "GO"), releaseName.ReplaceAllString(string(block[2]),
			"GO")
		if squeeze(got) != squeeze(want) {
			t.Errorf("checkalloc %s prints\n%s\nREADME.md says\n%s\ngo test ./tools/checkalloc -run Readme -update "+
				"writes it",
				block[1], got, want)
		}
	}
	if *update {
		if err := os.WriteFile(name, text, 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

// TestFirst holds everything that says where to begin to the first exercise of the catalog, whose order the list of
// exercises has. That a task and a watch without a name begin with the same exercise is one function in package command.
func TestFirst(t *testing.T) {
	catalog, err := exercise.Sealed()
	if err != nil {
		t.Fatal(err)
	}
	first := catalog[0]
	printed := func(args ...string) string {
		var out, stderr bytes.Buffer
		a := app.New(catalog, sandbox.CheckLimits(), "checkalloc", strings.NewReader(""), &out, &stderr)
		if code := command.Run(a, args); code != app.ExitPassed {
			t.Fatalf("%s: exit code %d\n%s", args, code, stderr.Bytes())
		}
		return out.String()
	}
	dir := t.TempDir()
	printed("init", dir)
	texts := map[string]string{"--help": printed("--help"), "the overview": printed("--dir", dir),
		"task": printed("task", "--dir", dir)}
	for _, name := range []string{"README.md", "book/introduction.md", "site/content/_index.md"} {
		text, err := os.ReadFile(filepath.Join("..", "..", filepath.FromSlash(name)))
		if err != nil {
			t.Fatal(err)
		}
		texts[name] = string(text)
	}
	for name, want := range map[string]string{
		"--help":                 "\n  checkalloc " + first.ID + "\n",
		"the overview":           "The next one:\n\n" + first.ID + "  " + first.Title + "\n",
		"task":                   first.ID + "  " + first.Title + "\n",
		"README.md":              "\ngo run ./tools/checkalloc task " + first.ID + "\ngo run ./tools/checkalloc " + first.ID + "\n",
		"book/introduction.md":   "\"go run ./tools/checkalloc " + first.ID + "\"",
		"site/content/_index.md": "{{#exercise " + first.ID + "}}",
	} {
		if !strings.Contains(texts[name], want) {
			t.Errorf("%s does not begin with %s: it lacks %q", name, first.ID, want)
		}
	}
}

// squeeze replaces the gap before the name of a release, whose length differs, by one space.
func squeeze(s string) string {
	return regexp.MustCompile(` +GO`).ReplaceAllString(s, " GO")
}

// place matches a file or a folder of the repository that a text names: `internal/verdict/cause.go`.
var place = regexp.MustCompile("`((?:book|editors|exercises|internal|runner|site|solutions|tools|web)/[^` ]*)`")

// TestPlaces tests that the files and folders exist that the texts for contributors name.
func TestPlaces(t *testing.T) {
	root := filepath.Join("..", "..")
	pages, err := filepath.Glob(filepath.Join(root, "site", "content", "authors", "*.md"))
	if err != nil || len(pages) == 0 {
		t.Fatalf("the pages for authors: %v %v", pages, err)
	}
	// Names that stand for any exercise, and for any chapter.
	example := strings.NewReplacer("exerciseN", "exercise6", "exercise100", "exercise6", "CHAPTER", "stack-and-heap")
	for _, page := range append(pages, filepath.Join(root, "README.md"), filepath.Join(root, "CONTRIBUTING.md")) {
		text, err := os.ReadFile(page)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range place.FindAllSubmatch(text, -1) {
			name := filepath.Join(root, filepath.FromSlash(example.Replace(string(m[1]))))
			if found, err := filepath.Glob(name); err != nil || len(found) == 0 {
				t.Errorf("%s names %s, which does not exist (%v)", filepath.Base(page), m[1], err)
			}
		}
	}
}
