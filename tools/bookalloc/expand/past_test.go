package expand

import (
	"io/fs"
	"maps"
	"os"
	"reflect"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"onthestack/internal/verdict"
	"onthestack/tools/bookalloc/measure"
)

// changed returns the fixture's book, or one with a page of the given texts, after replacing a text in one file.
func changed(t *testing.T, file, from, to string, texts ...string) *Book {
	t.Helper()
	b := open(t, texts...)
	files := fstest.MapFS{}
	if err := copyFiles(files, fixture); err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(string(files[file].Data), from) {
		t.Fatalf("%s has no %q", file, from)
	}
	files[file].Data = []byte(strings.Replace(string(files[file].Data), from, to, 1))
	b.Files = files
	return b
}

func copyFiles(to fstest.MapFS, dir string) error {
	from := os.DirFS(dir)
	return fs.WalkDir(from, ".", func(name string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		text, err := fs.ReadFile(from, name)
		to[name] = &fstest.MapFile{Data: text}
		return err
	})
}

func message(err error) string {
	if err == nil {
		return ""
	}
	return err.Error()
}

func TestCheck(t *testing.T) {
	if err := open(t).Check(); err != nil {
		t.Error(err)
	}
	const grow = "first/listings/grow"
	for _, test := range []struct {
		name, file, from, to string
		want                 string
	}{
		{"an article's figure", grow + "/listing.toml", "allocs  = 7", "allocs  = 6",
			"book/first/listings/grow/listing.toml:3: [[article]] go1.8: measured 7 allocs/op, not 6: a listing has " +
				"to reproduce the article's"},
		{"a change on another release", grow + "/listing.toml", `release = "go1.12"`, `release = "go1.22"`,
			"book/first/listings/grow/listing.toml:8: [[change]] go1.22: nothing changed on that release: remove it\n" +
				"book/first/listings/grow/listing.toml: go1.12 changed its figures (see measured/history.json): add " +
				"a [[change]] that says why"},
		{"a title that does not fit", grow + "/listing.toml", "Grow by append", strings.Repeat("x", 37),
			"book/first/listings/grow/listing.toml: title has 37 characters: write 1 to 36"},
		{"not measured", "measured/history.json", `"first/listings/still"`, `"first/listings/other"`,
			`book/first/listings/still is not in measured/history.json: run "make history"`},
		{"a listing has changed", grow + "/grow.go", "append(zeros, 0)", "append(zeros, 1)",
			`book/measured/history.json: first/listings/grow has changed since it was measured on go1.4: run ` +
				`"make history"` + "\n" + `book/measured/first/listings/grow.json: first/listings/grow has changed ` +
				`since it was measured: run "make measure"`},
	} {
		// The directives that show the listing fail too; the proof comes last.
		got := message(changed(t, test.file, test.from, test.to).Check())
		if !strings.HasSuffix(got, test.want) || got == test.want && strings.HasPrefix(test.name, "not") {
			t.Errorf("%s:\ngot  %s\nwant %s", test.name, got, test.want)
		}
	}

	// A page that shows the history is compared with it, and a page that does not is not.
	const file, from, to = grow + "/listing.toml", "allocs  = 7", "allocs  = 6"
	for text, shows := range map[string]bool{
		"{{#history first/listings/grow}}":              true,
		"{{#predict first/listings/grow}}":              true,
		"{{#figure first/listings/grow@go1.12 allocs}}": true,
		"{{#articles first}}":                           true,
		"{{#history first/listings/still}}":             false,
		"{{#figure first/listings/grow allocs}}":        false,
		"{{#verdict first/listings/grow}}":              false,
	} {
		_, err := changed(t, file, from, to, text+"\n").Expand()
		if proved := strings.HasPrefix(message(err), "book/first/listings/grow/listing.toml:3: "); proved != shows ||
			(err != nil) != shows {
			t.Errorf("%s: got %v", text, err)
		}
	}
}

func TestShown(t *testing.T) {
	// Only a figure in a drawing names the listing grow, and nothing names the listing still.
	b := open(t, `{{#drawing first/frame.svg "x"}}`)
	const hidden = ": no page shows this listing: name it in a directive, or remove it"
	got := message(b.Check())
	if !strings.Contains(got, "book/first/listings/still"+hidden) || strings.Contains(got, "listings/grow"+hidden) {
		t.Errorf("got %s", got)
	}
}

func TestWanted(t *testing.T) {
	w, err := open(t, `{{#drawing first/frame.svg "x"}}

{{#figure first/listings/still@go1.22 allocs BenchmarkLong}} {{#history first/listings/still}} \{{#figure x allocs}}

{{#pprof first/listings/grow A}}

{{#pprof first/listings/grow "-cpuprofile -top -show=a|b"}}

{{#table a b}}

{{#predict c}}

{{#verdict d}}

{{#escape e a.go}}

{{#steps first/listings/hello main.go}}

{{#output first/listings/hello}}

{{#output first/listings/hello "go vet ./x" "go test ./x"}}
`).Wanted()
	want := measure.Wanted{
		Listings: map[string]bool{"first/listings/grow": true, "a": true, "b": true, "c": true, "d": true, "e": true},
		Lines:    map[string]bool{"d": true, "e": true},
		Tables:   [][]string{{"a", "b"}},
		Steps: map[string]string{"first/listings/hello/main.go": "// Command hello greets.\npackage main\n\n" +
			"import \"fmt\"\n\nfunc main() {\n\tfmt.Println(\"<hello> & \\\"goodbye\\\"\")\n}\n"},
		Output: map[string][]string{"first/listings/hello": {"go run ./book/first/listings/hello", "go vet ./x",
			"go test ./x"}, "first/listings/grow": {
			"go test -run '^$' -bench . -benchtime 1000x -memprofilerate=1 -memprofile profile.out " +
				"./book/first/listings/grow >/dev/null && go tool pprof '-list' 'A' profile.out",
			"go test -run '^$' -bench . -cpuprofile profile.out ./book/first/listings/grow >/dev/null && " +
				"go tool pprof '-top' '-show=a|b' profile.out",
		}},
	}
	if got := message(err); got != "book/first/page.md:3: {{#history first/listings/still}}: put it on a line of "+
		"its own" {
		t.Errorf("got error %s", got)
	}
	if !reflect.DeepEqual(w, want) {
		t.Errorf("got %v, tables %v, steps %q and output %q", slices.Sorted(maps.Keys(w.Listings)), w.Tables, w.Steps,
			w.Output)
	}
	w, err = open(t, `{{#drawing first/frame.svg "x"}}`).Wanted()
	if err != nil || len(w.Listings) != 1 || !w.Listings["first/listings/grow"] {
		t.Errorf("of a drawing: got %v, error %v", slices.Sorted(maps.Keys(w.Listings)), err)
	}
	_, err = open(t, `{{#drawing first/none.svg "x"}}`).Wanted()
	if got, want := message(err), `book/first/page.md:1: {{#drawing first/none.svg "x"}}: open first/none.svg: no `+
		`such file or directory`; got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}

func TestDrawingFigures(t *testing.T) {
	for from, want := range map[string]string{
		"{{#figure first/listings/grow allocs}}": "",
		"{{#figure first/listings/grow sheep}}": `{{#figure first/listings/grow sheep}}: no figure "sheep": there ` +
			`are allocs, bytes, ns and go`,
		"{{#table first/listings/grow}}": "{{#table first/listings/grow}}: a drawing can have only " +
			"{{#figure}} and {{#classroom}}",
		"{{#sheep}}": "unknown directive {{#sheep}}: the directives are articles, bench, classroom, clone, diff, drawing,",
	} {
		b := changed(t, "first/frame.svg", "{{#figure first/listings/grow allocs}}", from,
			`{{#drawing first/frame.svg "x"}}`)
		_, err := b.Expand()
		prefix := `book/first/page.md:1: {{#drawing first/frame.svg "x"}}: book/first/frame.svg:6: `
		if want == "" && err != nil || want != "" && !strings.HasPrefix(message(err), prefix+want) {
			t.Errorf("%s: got %v", from, err)
		}
	}
}

func TestPredictOnce(t *testing.T) {
	_, err := open(t, "{{#predict first/listings/grow}}\n\n{{#predict first/listings/still BenchmarkLong}}\n\n"+
		"{{#predict first/listings/grow}}\n").Expand()
	if got, want := message(err), "book/first/page.md:5: {{#predict first/listings/grow}}: this page has the "+
		"same question already"; got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}

// TestPlace tests that a listing is located where its own chapter first shows more than a figure of it.
func TestPlace(t *testing.T) {
	b := open(t)
	b.Pages = []Page{
		{"opening.md", "{{#verdict first/listings/a}}\n\n{{#figure second/listings/d allocs}}\n\n" +
			"{{#history first/listings/c}}\n"},
		{"first/README.md", "{{#figure first/listings/a allocs}} {{#figure first/listings/b allocs}}\n"},
		{"first/history.md", "{{#history first/listings/a first/listings/b}}\n"},
		{"first/code.md", "{{#listing first/listings/a/a.go:x}}\n"},
		{"first/table.md", "{{#table first/listings/c first/listings/a}}\n"},
	}
	for listing, want := range map[string]string{"a": "first/code.md", "b": "first/README.md", "c": "first/table.md"} {
		if got, _ := b.firstShown("first/listings/" + listing); got != want {
			t.Errorf("%s: got %q, want %s", listing, got, want)
		}
	}
	if got, _ := b.firstShown("second/listings/d"); got != "opening.md" {
		t.Errorf("d: got %q", got)
	}
	if got, _ := b.firstShown("first/listings/e"); got != "" {
		t.Errorf("e: got %q", got)
	}
	if got, want := b.byPlace([]string{"first/listings/e", "first/listings/c", "first/listings/a", "first/listings/b"}),
		[]string{"first/listings/b", "first/listings/a", "first/listings/c", "first/listings/e"}; !slices.Equal(got,
		want) {
		t.Errorf("got %v, want %v", got, want)
	}
}

// TestChapterEnds tests that the last page of a chapter asks again what its other pages ask.
func TestChapterEnds(t *testing.T) {
	b := open(t)
	b.Pages = []Page{
		{"opening.md", "Text.\n"},
		{"first/README.md", "{{#predict first/listings/grow}}\n"},
		{"first/code.md", "Text.\n"},
		{"first/end.md", "The end.\n"},
		{"second/README.md", "Text.\n"},
		{"second/end.md", "{{#predict first/listings/still BenchmarkLong}}\n"},
		{"third/README.md", "Text.\n"},
	}
	expanded, err := b.Expand()
	if err != nil {
		t.Fatal(err)
	}
	const want = "The end.\n\n<div class=\"ots-again\" id=\"again-first\" data-chapter=\"first\"></div>\n"
	for i, p := range b.Pages {
		if isEnd := p.Path == "first/end.md"; strings.Contains(expanded[i], "ots-again") != isEnd ||
			isEnd && expanded[i] != want {
			t.Errorf("%s: got %q", p.Path, expanded[i])
		}
	}
}

func TestBeside(t *testing.T) {
	for _, test := range []struct {
		measured, article float64
		want              string
	}{{117.333, 117, "117"}, {252.5, 252, "252.5"}, {252.5, 256, "253"}, {0, 0, "0"}} {
		if got := beside(test.measured, test.article, verdict.FormatBytes); got != test.want {
			t.Errorf("%v beside %v: got %s, want %s", test.measured, test.article, got, test.want)
		}
	}
}
