package fix_test

import (
	"bytes"
	"flag"
	"fmt"
	"go/importer"
	"go/token"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"

	"onthestack/internal/owncode/suggest/fix"
)

var update = flag.Bool("update", false, "rewrite the wanted files in testdata")

// TestRules compares what each rule proposes with testdata/RULE.txtar. A case there is a folder with in.go, and
// want1.go, want2.go and so on for its candidates, each applied alone; a case without them must have no candidate that
// type-checks: suggest rejects others. The file excluded.go, if there is one, is for another platform, and the file go
// has the version of the language.
func TestRules(t *testing.T) {
	fset := token.NewFileSet()
	imports := importer.ForCompiler(fset, "gc", nil)
	for _, rule := range fix.Rules() {
		name := filepath.Join("testdata", rule.ID+".txtar")
		archive, err := txtar.ParseFile(name)
		if err != nil {
			t.Errorf("rule %s: %v", rule.ID, err)
			continue
		}
		wanted := map[string][]byte{}
		var cases []string
		for _, f := range archive.Files {
			if path.Base(f.Name) == "in.go" {
				cases = append(cases, path.Dir(f.Name))
			}
			wanted[f.Name] = f.Data
		}
		written := &txtar.Archive{Comment: archive.Comment}
		ran := 0 // cases: -run may select some of them
		for _, c := range cases {
			t.Run(rule.ID+"/"+c, func(t *testing.T) {
				ran++
				in := wanted[c+"/in.go"]
				source := fix.Source{ImportPath: "example.com/p", GOARCH: "amd64", GoVersion: "1.26",
					Names: []string{"in.go"}, Texts: map[string][]byte{"in.go": in}, Importer: imports, Fset: fset}
				if text, ok := wanted[c+"/go"]; ok {
					source.GoVersion = strings.TrimSpace(string(text))
					written.Files = append(written.Files, txtar.File{Name: c + "/go", Data: text})
				}
				if text, ok := wanted[c+"/excluded.go"]; ok {
					source.Excluded = [][]byte{text}
					written.Files = append(written.Files, txtar.File{Name: c + "/excluded.go", Data: text})
				}
				written.Files = append(written.Files, txtar.File{Name: c + "/in.go", Data: in})
				p, err := fix.Check(source)
				if err != nil {
					t.Fatal(err)
				}
				n := 0
				for _, candidate := range p.Candidates(t.Context(), func(string, int) float64 { return 64 }) {
					if candidate.Rule.ID != rule.ID {
						continue
					}
					out, err := fix.Apply(map[string][]byte{"in.go": in}, candidate.Edits)
					if err != nil {
						t.Fatal(err)
					}
					if _, err := p.With(out); err != nil {
						t.Logf("the edit does not type-check: %v\n%s", err, out["in.go"])
						continue
					}
					n++
					want := fmt.Sprintf("%s/want%d.go", c, n)
					written.Files = append(written.Files, txtar.File{Name: want, Data: out["in.go"]})
					if !*update && !bytes.Equal(out["in.go"], wanted[want]) {
						t.Errorf("%s: got\n%s\nwant\n%s", want, out["in.go"], wanted[want])
					}
				}
				if next := fmt.Sprintf("%s/want%d.go", c, n+1); !*update && wanted[next] != nil {
					t.Errorf("%s: it is not proposed", next)
				}
			})
		}
		if *update && ran == len(cases) {
			if err := os.WriteFile(name, txtar.Format(written), 0o666); err != nil {
				t.Fatal(err)
			}
		}
	}
}

// TestPages: each rule names a page of the book, and no two rules have the same ID.
func TestPages(t *testing.T) {
	var seen []string
	for _, rule := range fix.Rules() {
		if _, err := os.Stat("../../../../book/" + rule.Page + ".md"); err != nil {
			t.Errorf("rule %s: %v", rule.ID, err)
		}
		if slices.Contains(seen, rule.ID) {
			t.Errorf("two rules have the ID %s", rule.ID)
		}
		seen = append(seen, rule.ID)
	}
}

// TestApply: edits keep line ends, a byte order mark and a file that was not formatted as they are, and refuse to
// overlap.
func TestApply(t *testing.T) {
	for _, test := range []struct {
		name, old string
		edits     []fix.Edit
		want      string
	}{
		{"formatted", "package p\n\nvar x = 1\n", []fix.Edit{edit("f", 19, 20, "2 +  3")},
			"package p\n\nvar x = 2 + 3\n"},
		{"not formatted", "package p\nvar x  = 1\n", []fix.Edit{edit("f", 19, 20, "2 +  3")},
			"package p\nvar x  = 2 +  3\n"},
		{"windows", "package p\r\n\r\nvar x = 1\r\n", []fix.Edit{edit("f", 21, 22, "1 +\n2")},
			"package p\r\n\r\nvar x = 1 +\r\n\t2\r\n"},
		{"unused import", "package p\n\nimport \"fmt\"\n\nvar x = fmt.Sprint(1)\n", []fix.Edit{edit("f", 33, 46, "1")},
			"package p\n\nvar x = 1\n"},
		{"unused import of several", "package p\n\nimport (\n\t\"fmt\"\n\t\"io\"\n)\n\nvar x = fmt.Sprint(io.EOF)\n",
			[]fix.Edit{edit("f", 44, 62, "io.EOF")}, "package p\n\nimport \"io\"\n\nvar x = io.EOF\n"},
		{"another import", "package p\n\nimport \"io\"\n\nvar x = io.EOF\n",
			[]fix.Edit{edit("f", 11, 11, "import \"fmt\"\n"), edit("f", 32, 38, "fmt.Sprint(io.EOF)")},
			"package p\n\nimport (\n\t\"fmt\"\n\t\"io\"\n)\n\nvar x = fmt.Sprint(io.EOF)\n"},
		{"the same edit twice", "package p\n",
			[]fix.Edit{edit("f", 9, 9, "\n\nvar x int"), edit("f", 9, 9, "\n\nvar x int")},
			"package p\n\nvar x int\n"},
		{"overlap", "package p\n\nvar x = 12\n", []fix.Edit{edit("f", 19, 21, "3"), edit("f", 20, 21, "4")}, ""},
		{"overlap by an insertion", "package p\n\nvar x = 12\n",
			[]fix.Edit{edit("f", 20, 20, "3"), edit("f", 19, 21, "4")}, ""},
		{"adjacent", "package p\n\nvar x = 12\n", []fix.Edit{edit("f", 19, 20, "3"), edit("f", 20, 21, "4")},
			"package p\n\nvar x = 34\n"},
		{"two insertions", "package p\n\nvar x = 12\n", []fix.Edit{edit("f", 19, 19, "3"), edit("f", 19, 19, "4")},
			"package p\n\nvar x = 3412\n"},
		{"no Go", "package p\n", []fix.Edit{edit("f", 0, 7, "x")}, ""},
	} {
		t.Run(test.name, func(t *testing.T) {
			out, err := fix.Apply(map[string][]byte{"f": []byte(test.old)}, test.edits)
			if (err != nil) != (test.want == "") || string(out["f"]) != test.want {
				t.Errorf("%q, %v; want %q", out["f"], err, test.want)
			}
		})
	}
}

func edit(file string, start, end int, text string) fix.Edit {
	return fix.Edit{File: file, Start: start, End: end, Text: text}
}
