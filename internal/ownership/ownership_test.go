package ownership

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"
)

// read returns the snippets below a folder of testdata: each is a file of an archive, without its package clause.
func read(t *testing.T, folder string) map[string]string {
	t.Helper()
	names, err := filepath.Glob("testdata/" + folder + "/*.txtar")
	if err != nil || len(names) == 0 {
		t.Fatalf("no archive in testdata/%s (%v)", folder, err)
	}
	snippets := map[string]string{}
	for _, name := range names {
		a, err := txtar.ParseFile(name)
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range a.Files {
			snippets[strings.TrimSuffix(filepath.Base(name), ".txtar")+"/"+f.Name] = withImports(string(f.Data))
		}
	}
	return snippets
}

var qualified = regexp.MustCompile(
	`\b(bufio|bytes|binary|encoding|errors|fmt|heap|io|iter|maps|slices|sort|strconv|strings|sync|atomic|time|` +
		`unicode|utf8)\.[A-Z]`)

// withImports puts a package clause and the imports before a snippet, on one line.
func withImports(text string) string {
	head := "package x;"
	seen := map[string]bool{}
	for _, m := range qualified.FindAllStringSubmatch(text, -1) {
		path := m[1]
		if long, ok := map[string]string{"binary": "encoding/binary", "heap": "container/heap", "atomic": "sync/atomic",
			"utf8": "unicode/utf8"}[path]; ok {
			path = long
		}
		if !seen[path] {
			seen[path] = true
			head += ` import "` + path + `";`
		}
	}
	return head + text
}

func check(t *testing.T, text string) (found []Finding, unchecked *Finding, fset *token.FileSet) {
	t.Helper()
	fset = token.NewFileSet()
	file, err := parser.ParseFile(fset, "x.go", text, parser.SkipObjectResolution)
	if err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	found, unchecked = Check(fset, "onthestack/x", []*ast.File{file})
	return found, unchecked, fset
}

// TestRefused checks that each line that ends in "// refused: WORDS" is, with these words, and no other line is.
func TestRefused(t *testing.T) {
	for name, text := range read(t, "refused") {
		found, unchecked, fset := check(t, text)
		if unchecked != nil {
			t.Errorf("%s: %s: %s", name, fset.Position(unchecked.Pos), unchecked.Message)
			continue
		}
		wanted := 0
		for i, line := range strings.Split(text, "\n") {
			_, words, want := strings.Cut(line, "// refused: ")
			got := false
			for _, f := range found {
				if fset.Position(f.Pos).Line == i+1 {
					got = got || strings.Contains(f.Message, words)
					if !want {
						t.Errorf("%s: line %d is refused: %s\n%s", name, i+1, f.Message, line)
					}
				}
			}
			if want {
				wanted++
				if !got {
					t.Errorf("%s: line %d is not refused as %q: %v\n%s", name, i+1, words, found, line)
				}
			}
		}
		if wanted == 0 {
			t.Errorf("%s: nothing in it is to be refused", name)
		}
	}
}

// TestAccepted checks that nothing is refused in code that keeps to the rules.
func TestAccepted(t *testing.T) {
	for name, text := range read(t, "accepted") {
		found, unchecked, fset := check(t, text)
		if unchecked != nil {
			t.Errorf("%s: %s: %s", name, fset.Position(unchecked.Pos), unchecked.Message)
		}
		for _, f := range found {
			t.Errorf("%s: line %d: %s", name, fset.Position(f.Pos).Line, f.Message)
		}
	}
}
