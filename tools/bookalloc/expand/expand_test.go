package expand

import (
	"flag"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"onthestack/internal/exercise"
)

var update = flag.Bool("update", false, "rewrite the golden files")

const fixture = "../testdata/workbook/book"

// sealed returns the catalog of the fixture's sealed exercises.
func sealed(t *testing.T) exercise.Catalog {
	t.Helper()
	archives := map[string][]byte{}
	for _, name := range []string{"exercise6.txtar", "exercise7.txtar"} {
		text, err := os.ReadFile(filepath.Join("..", "testdata", "sealed", name))
		if err != nil {
			t.Fatal(err)
		}
		archives[name] = text
	}
	packed, err := exercise.Pack(archives)
	if err != nil {
		t.Fatal(err)
	}
	catalog, err := exercise.Unpack(packed)
	if err != nil {
		t.Fatal(err)
	}
	return catalog
}

// open returns the fixture's book, with the named pages of the fixture or with one page of the given text.
func open(t *testing.T, texts ...string) *Book {
	t.Helper()
	b := &Book{Dir: "book", Files: os.DirFS(fixture), Catalog: sealed(t)}
	for _, text := range texts {
		b.Pages = append(b.Pages, Page{"first/page.md", text})
	}
	for _, name := range []string{"opening.md", "first/README.md", "first/code.md", "first/figures.md", "first/past.md",
		"first/recipe.md",
		"releases.md", "last.md"} {
		text, err := os.ReadFile(filepath.Join(fixture, name))
		if err != nil {
			t.Fatal(err)
		}
		if len(texts) == 0 {
			b.Pages = append(b.Pages, Page{name, string(text)})
		}
	}
	return b
}

func TestGolden(t *testing.T) {
	b := open(t)
	b.Repository = "https://example.org/you/onthestack"
	expanded, err := b.Expand()
	if err != nil {
		t.Fatal(err)
	}
	seen := map[string]bool{}
	for i, p := range b.Pages {
		golden := filepath.Join("testdata", strings.ReplaceAll(p.Path, "/", "-"))
		if *update {
			if err := os.WriteFile(golden, []byte(expanded[i]), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		want, err := os.ReadFile(golden)
		if err != nil {
			t.Fatal(err)
		}
		if expanded[i] != string(want) {
			t.Errorf("%s: got\n%s\nwant\n%s\n(go test ./tools/bookalloc/expand -update rewrites it)", p.Path,
				expanded[i], want)
		}
	}
	for _, u := range b.uses() {
		seen[u.directive.Name] = true
	}
	if got, want := slices.Sorted(maps.Keys(seen)), slices.Sorted(maps.Keys(directives)); !slices.Equal(got, want) {
		t.Errorf("the fixture uses the directives %v, of %v", got, want)
	}
}

// TestClone tests that instructions for a clone are shown only if the book knows the repository's URL.
func TestClone(t *testing.T) {
	const text = "Try.\n\n{{#clone \"In REPOSITORY:\" \"git clone REPOSITORY x\" \"cd x\"}}\n\nNext.\n\n" +
		"{{#exercise exercise6}}\n"
	for _, test := range []struct{ repository, want string }{
		{"https://example.org/you/x", "Try.\n\nIn [the repository](https://example.org/you/x):\n\n```console\n" +
			"$ git clone https://example.org/you/x x\n$ cd x\n```\n\nNext.\n"},
		{"", "Try.\n\nNext.\n"},
	} {
		b := open(t, text)
		b.Repository = test.repository
		expanded, err := b.Expand()
		if err != nil {
			t.Fatal(err)
		}
		// In Markdown, the number of blank lines has no meaning.
		if got := regexp.MustCompile(`\n{3,}`).ReplaceAllString(expanded[0], "\n\n"); !strings.HasPrefix(got,
			test.want) {
			t.Errorf("%q: got\n%s\nwant\n%s", test.repository, expanded[0], test.want)
		}
		if advises := strings.Contains(expanded[0], "In your own editor") && strings.Contains(expanded[0],
			"$ git clone "+
				test.repository+" onthestack\n"); advises != (test.repository != "") {
			t.Errorf("%q: the exercise says\n%s", test.repository, expanded[0])
		}
	}
}

func TestErrors(t *testing.T) {
	const names = "articles, bench, classroom, clone, diff, drawing, escape, exercise, figure, gctrace, history, " +
		"listing, output, pprof, predict, question, recipe, renumbered, run, steps, table, verdict"
	for _, test := range []struct{ text, want string }{
		{"{{#include x.go}}", "unknown directive {{#include x.go}}: the directives are " + names +
			`; to write it as text, write \{{#include x.go}}`},
		{"{{#listing}}", "{{#listing}}: use it as {{#listing PATH.go:ANCHOR (the anchor may be left out)}}"},
		{"a {{#listing first/listings/grow/grow.go}}",
			"{{#listing first/listings/grow/grow.go}}: put it on a line of its own"},
		{"{{#diff first/listings/grow/grow.go first/listings/grow/grow.go}}",
			"{{#diff first/listings/grow/grow.go first/listings/grow/grow.go}}: the two are equal"},
		{"{{#listing first/nowhere.go}}", "{{#listing first/nowhere.go}}: open first/nowhere.go: no such file or " +
			"directory"},
		{"{{#listing first/listings/grow/grow.go:x}}",
			`{{#listing first/listings/grow/grow.go:x}}: first/listings/grow/grow.go has no anchor "x": it has ` +
				`append, grow`},
		{"{{#run first/listings/grow/grow.go}}",
			"{{#run first/listings/grow/grow.go}}: first/listings/grow/grow.go is not package main: it cannot be run"},
		{`{{#drawing first/frame.svg}}`, `{{#drawing first/frame.svg}}: use it as {{#drawing FILE.svg "what it ` +
			`shows"}}`},
		{`{{#drawing measured/history.json "x"}}`,
			`{{#drawing measured/history.json "x"}}: measured/history.json: no <svg> element`},
		{`{{#drawing last.md "x"}}`, `{{#drawing last.md "x"}}: book/last.md:3: {{#exercise exercise6}}: a drawing ` +
			`can have only {{#figure}} and {{#classroom}}`},
		{"{{#exercise exercise14}}", `{{#exercise exercise14}}: no exercise "exercise14": the exercises are exercise6, ` +
			`exercise7; "go run ./tools/checkalloc dev seal" adds new ones`},
		{"{{#figure exercise6 ns}}", `{{#figure exercise6 ns}}: no figure "ns": there are allocs, bytes and go`},
		{"{{#figure exercise6 allocs BenchmarkX}}",
			`{{#figure exercise6 allocs BenchmarkX}}: exercise6: no BenchmarkX: its benchmarks are BenchmarkGrow`},
		{"{{#figure first/listings/nowhere allocs}}", "{{#figure first/listings/nowhere allocs}}: no such listing: " +
			"stat first/listings/nowhere: no such file or directory"},
		{"{{#figure first/listings/hello allocs}}",
			`{{#figure first/listings/hello allocs}}: first/listings/hello is not measured: run "make measure"`},
		{"{{#figure first/listings/grow sheep}}",
			`{{#figure first/listings/grow sheep}}: no figure "sheep": there are allocs, bytes, ns and go`},
		{"{{#figure first/listings/still allocs}}", "{{#figure first/listings/still allocs}}: first/listings/still " +
			"has several benchmarks: name one of BenchmarkShort, BenchmarkLong"},
		{"{{#figure first/listings/grow allocs BenchmarkX}}", `{{#figure first/listings/grow allocs BenchmarkX}}: ` +
			`first/listings/grow has no benchmark "BenchmarkX": it has BenchmarkGrow`},
		{"{{#figure first/listings/grow@go1.9 allocs}}", `{{#figure first/listings/grow@go1.9 allocs}}: ` +
			`first/listings/grow is not measured on go1.9: it is on go1.4, go1.8, go1.12, go1.22, go1.26`},
		{"{{#figure first/listings/grow@ allocs}}", "{{#figure first/listings/grow@ allocs}}: first/listings/grow@ " +
			"names no release: write it as first/listings/grow@go1.8"},
		{"{{#figure first/listings/grow@go1.8 ns}}",
			`{{#figure first/listings/grow@go1.8 ns}}: no figure "ns": there are allocs, bytes and go`},
		{"{{#figure first/listings/still@go1.22 allocs}}", "{{#figure first/listings/still@go1.22 allocs}}: " +
			"first/listings/still: name one of its benchmarks: BenchmarkShort, BenchmarkLong"},
		{"{{#history first/listings/hello}}", "{{#history first/listings/hello}}: first/listings/hello/listing.toml " +
			"is missing: a listing with a benchmark needs one, with its title"},
		{"{{#history}}", "{{#history}}: no page first/README.md: write it, and add it to SUMMARY.md"},
		{"{{#articles second}}", "{{#articles second}}: no listing with a benchmark in second: name a chapter's " +
			"folder"},
		{"{{#recipe first/listings/grow}}",
			"{{#recipe first/listings/grow}}: use it as {{#recipe " + recipeUsage + "}}"},
		{"{{#recipe first/listings/grow first/listings/still \"x\"}}",
			"{{#recipe first/listings/grow first/listings/still \"x\"}}: " +
				"first/listings/still has several benchmarks: name one of BenchmarkShort, BenchmarkLong"},
		{"{{#recipe first/listings/nowhere first/listings/grow \"x\"}}", "{{#recipe first/listings/nowhere " +
			"first/listings/grow \"x\"}}: no such listing: stat first/listings/nowhere: no such file or directory"},
		{"{{#recipe}}", "{{#recipe}}: the book has no recipe"},
		{"{{#predict first/listings/still}}", "{{#predict first/listings/still}}: first/listings/still has several " +
			"benchmarks: name one of BenchmarkShort, BenchmarkLong"},
		{"{{#escape first/listings/still still_test.go}}",
			"{{#escape first/listings/still still_test.go}}: the compiler says nothing about still_test.go, lines " +
				"1–19"},
		{"{{#pprof first/listings/grow Shrink}}",
			`{{#pprof first/listings/grow Shrink}}: measured/output.json has no output of "go test -run '^$' -bench . ` +
				"-benchtime 1000x -memprofilerate=1 -memprofile profile.out ./book/first/listings/grow >/dev/null && " +
				`go tool pprof '-list' 'Shrink' profile.out" as first/listings/grow is now: run "make measure"`},
		{"{{#output first/listings/hello \"go vet\"}}", `{{#output first/listings/hello "go vet"}}: measured/output.json has ` +
			`no output of "go vet" as first/listings/hello is now: run "make measure"`},
		{"{{#steps first/listings/still still.go}}", "{{#steps first/listings/still still.go}}: " +
			"first/listings/still/still.go is not package main: it cannot be run"},
		{"{{#steps first/listings/hello main.go first=1}}",
			`{{#steps first/listings/hello main.go first=1}}: "first=1" is not open`},
	} {
		_, err := open(t, "\n"+test.text+"\n").Expand()
		if err == nil {
			t.Errorf("%s: no error", test.text)
			continue
		}
		line := 1 + strings.Count("\n"+test.text, "\n")
		if got, at := err.Error(), "book/first/page.md:"; !strings.HasPrefix(got, at+string(rune('0'+line))+": ") ||
			!strings.HasSuffix(got, test.want) {
			t.Errorf("%s:\ngot  %s\nwant %s%d: %s", test.text, got, at, line, test.want)
		}
	}
}

func TestEachExerciseOnce(t *testing.T) {
	_, err := open(t, "{{#exercise exercise6}}\n\n{{#exercise exercise6}}\n").Expand()
	if want := "book/first/page.md:3: {{#exercise exercise6}}: book/first/page.md shows this exercise already: " +
		"link there"; err == nil || err.Error() != want {
		t.Errorf("got %v, want %s", err, want)
	}
}

// TestTableOfTwoSessions tests that a table does not compare times of different sessions.
func TestTableOfTwoSessions(t *testing.T) {
	b := open(t, "{{#table first/listings/grow first/listings/still}}")
	files := fstest.MapFS{}
	for _, name := range []string{"grow", "still"} {
		text, err := os.ReadFile(filepath.Join(fixture, "measured/first/listings", name+".json"))
		if err != nil {
			t.Fatal(err)
		}
		if name == "still" {
			text = []byte(strings.Replace(string(text), `"session":"20`, `"session":"19`, 1))
		}
		files["measured/first/listings/"+name+".json"] = &fstest.MapFile{Data: text}
		files["first/listings/"+name+"/x.go"] = &fstest.MapFile{}
	}
	b.Files = files
	_, err := b.Expand()
	if want := `first/listings/grow and first/listings/still were not timed in one session: run "make ` +
		`measure"`; err == nil || !strings.HasSuffix(err.Error(), want) {
		t.Errorf("got %v, want %s", err, want)
	}
}

func TestDrawingErrors(t *testing.T) {
	for svg, want := range map[string]string{
		"<svg role='img'></svg>":            "remove role from its <svg>: the directive's text is its description",
		"<p><svg></svg></p>":                "its root element is <p>: a drawing is an <svg> element",
		"<svg><g></svg>":                    "element <g> closed by </svg>",
		"<svg:svg xmlns:svg='x'></svg:svg>": "its root element is <svg:svg>: a drawing is an <svg> element",
	} {
		if _, err := rootElement(svg); err == nil || !strings.HasSuffix(err.Error(), want) {
			t.Errorf("%s: got %v, want %s", svg, err, want)
		}
	}
}

func TestChange(t *testing.T) {
	for _, test := range []struct {
		from, to float64
		want     string
	}{{2, 2, ""}, {2, 1, " (−50%)"}, {2, 0, " (−100%)"}, {400, 1, " (−99.8%)"}, {2, 3, " (+50%)"}, {0, 1, " (more)"},
		{0, 0, ""}} {
		if got := change(test.from, test.to); got != test.want {
			t.Errorf("change(%v, %v) = %q, want %q", test.from, test.to, got, test.want)
		}
	}
}

func TestRelative(t *testing.T) {
	for _, test := range [][3]string{
		{"a/exercises.md", "a/exercises.md", "exercises.html"},
		{"a/x.md", "b/c/README.md", "../b/c/index.html"},
		{"a/b/x.md", "a/y.md", "../y.html"},
		{"x.md", "a/y.md", "a/y.html"},
		{"a/x.md", "y.md", "../y.html"},
	} {
		if got := relative(test[0], test[1]); got != test[2] {
			t.Errorf("relative(%q, %q) = %q, want %q", test[0], test[1], got, test[2])
		}
	}
}
