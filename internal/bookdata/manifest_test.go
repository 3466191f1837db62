package bookdata

import (
	"reflect"
	"slices"
	"strings"
	"testing"
	"testing/fstest"
)

const manifest = `title = "Grow by append"
since = "go1.24"
since_why = "b.Loop came with Go 1.24"

[[article]]
release = "go1.25"
benchmark = "BenchmarkGrow"
allocs = 2
bytes = 117

[[change]]
release = "go1.26"
why = """
[[change]] is
what this says."""
link = "https://go.dev/doc/go1.26"

[[change]]
release = "go1.27"
why = "Less."
link = "https://go.dev/cl/1"
`

func TestReadManifest(t *testing.T) {
	book := fstest.MapFS{"a/listings/grow/listing.toml": {Data: []byte(strings.Replace(manifest, "[[change]] is",
		"It is",
		1))}}
	got, err := ReadManifest(book, "a/listings/grow")
	if err != nil {
		t.Fatal(err)
	}
	bytesPerOp := 117.0
	want := &Manifest{
		Title: "Grow by append", Since: "go1.24", SinceWhy: "b.Loop came with Go 1.24",
		Articles: []Article{{Release: "go1.25", Benchmark: "BenchmarkGrow", Allocs: 2, Bytes: &bytesPerOp,
			Line: 5}},
		Changes: []Change{
			{Release: "go1.26", Why: "It is\nwhat this says.", Link: "https://go.dev/doc/go1.26", Line: 11},
			{Release: "go1.27", Why: "Less.", Link: "https://go.dev/cl/1", Line: 18},
		},
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("got  %+v\nwant %+v", got, want)
	}

	// If a text looks like the beginning of an entry, an unknown line is better than a wrong one.
	if got, err := parseManifest(manifest); err != nil || got.Changes[1].Line != 0 || got.Articles[0].Line != 5 {
		t.Errorf("got %+v, error %v", got, err)
	}
}

func TestManifestErrors(t *testing.T) {
	const title = "title = \"x\"\n"
	for _, test := range []struct{ text, want string }{
		{"", "title has 0 characters: write 1 to 36"},
		{`title = "` + strings.Repeat("ä", 37) + `"`, "title has 37 characters: write 1 to 36"},
		{`title = "two\nlines"`, `title "two\nlines": write it on one line, without spaces around it`},
		{title + "sinc = 1", `unknown key "sinc": remove it or correct its spelling`},
		{title + `since = "go1.24"`, "since needs since_why, and since_why needs since"},
		{title + "since = \"1.24\"\nsince_why = \"x\"", `since "1.24": write a release as "go1.24"`},
		{title + "[[article]]\nrelease = \"go1.8.7\"", `[[article]] release "go1.8.7": write it as "go1.8"`},
		{title + "[[change]]\nrelease = \"\"", `[[change]] release "": write it as "go1.12"`},
		{title + "[[change]]\nrelease = \"go1.9\"\n", "[[change]] go1.9: say why"},
		{title + "[[change]]\nrelease = \"go1.9\"\nwhy = \"x\"\nlink = \"go.dev\"",
			`[[change]] go1.9: link "go.dev" is not an https URL`},
		{title + "[[change]]\nrelease = \"go1.10\"\nwhy = \"x\"\nlink = \"https://x\"\n[[change]]\nrelease = \"go1.9\"",
			"[[change]] go1.9 follows go1.10: list each release once, oldest first"},
	} {
		if _, err := parseManifest(test.text); err == nil || err.Error() != test.want {
			t.Errorf("%q: got %v, want %s", test.text, err, test.want)
		}
	}
	_, err := ReadManifest(fstest.MapFS{"a/listing.toml": {Data: []byte("x")}}, "a")
	if err == nil || !strings.HasPrefix(err.Error(), "a/listing.toml: ") {
		t.Errorf("no TOML: got %v", err)
	}
	if _, err := ReadManifest(fstest.MapFS{}, "a"); err == nil ||
		err.Error() != "a/listing.toml is missing: a listing with a benchmark needs one, with its title" {
		t.Errorf("no file: got %v", err)
	}
}

func TestManifestLabel(t *testing.T) {
	m := &Manifest{Title: "T", Since: "go1.9"}
	if got := m.Label("BenchmarkShortLog", true); got != "T" {
		t.Errorf("alone: got %q", got)
	}
	if got := m.Label("BenchmarkShortLog", false); got != "T, short log" {
		t.Errorf("beside others: got %q", got)
	}
	if m.On("go1.8") || !m.On("go1.9") || !m.On("go1.10") || !new(Manifest).On("go1.4") {
		t.Error("since is not kept to")
	}
	for name, want := range map[string]string{
		"BenchmarkReplace": "replace", "BenchmarkShortLog": "short log", "BenchmarkJSONText": "JSON text",
		"BenchmarkSize32":  "size 32",
		"Benchmark32Bytes": "32 bytes", "Benchmark_a_Long": "a long", "BenchmarkToJSON": "to JSON",
		"BenchmarkÄrger": "ärger",
		"Benchmark":      "", "BenchmarkA": "a",
	} {
		if got := BenchmarkWords(name); got != want {
			t.Errorf("%s: got %q, want %q", name, got, want)
		}
	}
}

const benchmark = "package p_test\n\nimport \"testing\"\n\nfunc BenchmarkB(b *testing.B) {}\n\n" +
	"func BenchmarkA(b *testing.B) {}\n"

func TestFindListings(t *testing.T) {
	file := func(text string) *fstest.MapFile { return &fstest.MapFile{Data: []byte(text)} }
	book := fstest.MapFS{
		"b/listings/two/p.go": file("package p\n"), "b/listings/two/bench_test.go": file(benchmark),
		"b/listings/two/p_test.go": file("package p_test\n"),
		"b/listings/none/p.go":     file("package p\n"),
		"a/listings/z/p.go":        file("package p\n"), "a/listings/z/z_test.go": file(benchmark),
		"a/other/y/p.go":   file("package p\n"),
		"a/listings/n.txt": file(""),
	}
	got, err := FindListings(book)
	if want := []string{"a/listings/z", "b/listings/two"}; err != nil || !slices.Equal(got, want) {
		t.Errorf("got %v, error %v, want %v", got, err, want)
	}
	part, err := ReadMeasuredPart(book, "b/listings/two")
	if err != nil {
		t.Fatal(err)
	}
	if len(part.Files) != 2 || part.Files["p_test.go"] != nil || part.TestPackage != "p_test" ||
		!slices.Equal(part.Benchmarks, []string{"BenchmarkB", "BenchmarkA"}) {
		t.Errorf("got %+v", part)
	}

	// The error joins the errors of all listings that cannot be read; the other listings are returned.
	book["b/listings/empty/x.txt"] = file("")
	book["b/listings/broken/x_test.go"] = file("package")
	got, err = FindListings(book)
	if len(got) != 2 || err == nil || !strings.Contains(err.Error(), "b/listings/empty: no Go files") ||
		!strings.Contains(err.Error(), "b/listings/broken: x_test.go:1:") {
		t.Errorf("got %v, error %v", got, err)
	}
}
