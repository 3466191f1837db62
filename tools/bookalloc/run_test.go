package main

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
)

// command runs bookalloc.
func command(stdin string, args ...string) (exit int, stdout, stderr string) {
	var out, err bytes.Buffer
	exit = run(args, strings.NewReader(stdin), &out, &err)
	return exit, out.String(), err.String()
}

func TestExitCodes(t *testing.T) {
	for _, test := range []struct {
		args           []string
		exit           int
		stdout, stderr string // beginnings
	}{
		{[]string{"supports", "html"}, exitOK, "", ""},
		{[]string{"supports", "epub"}, exitFailed, "", "bookalloc serves the html renderer, not epub\n"},
		{[]string{"supports"}, exitUsage, "",
			"bookalloc: accepts 1 arg(s), received 0\n\nUsage:\n  bookalloc supports RENDERER"},
		{[]string{"publish"}, exitUsage, "", "bookalloc: unknown command \"publish\" for \"bookalloc\"\n\nUsage:"},
		{[]string{"check", "x"}, exitUsage, "", "bookalloc: unknown command \"x\" for \"bookalloc check\"\n"},
		{[]string{"site", "--repository", "x"}, exitUsage, "",
			"bookalloc: unknown flag: --repository\n"},
		{[]string{"measure", "--fast"}, exitUsage, "", "bookalloc: unknown flag: --fast\n"},
		{[]string{"--help"}, exitOK, "Bookalloc expands", ""},
		{[]string{"measure", "--help"}, exitOK, "Measure the listings", ""},
		{nil, exitFailed, "", "read mdBook's JSON on stdin: EOF\n"},
	} {
		exit, stdout, stderr := command("", test.args...)
		if exit != test.exit || !strings.HasPrefix(stdout, test.stdout) || !strings.HasPrefix(stderr, test.stderr) ||
			(test.stdout == "") != (stdout == "") || (test.stderr == "") != (stderr == "") {
			t.Errorf("%q: exit %d, want %d; stdout %q; stderr %q", test.args, exit, test.exit, stdout, stderr)
		}
	}
}

func TestCheckSummary(t *testing.T) {
	work := t.TempDir()
	for name, text := range map[string]string{
		"book.toml": "[book]\nsrc = \"text\"\n",
		"text/SUMMARY.md": "# Summary\n\n[A](a.md)\n\n- [Gone](gone.md)\n- [A again](./a.md)\n- [Draft]()\n" +
			"- [Two words](two%20words.md)\n",
		"text/a.md":         "# A\n",
		"text/two words.md": "# Two words\n",
		"text/alone/b.md":   "# B\n",
		"text/alone/c.txt":  "[x](x.md)\n",
		"text/below/.keep":  "",
	} {
		file := filepath.Join(work, name)
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	t.Chdir(filepath.Join(work, "text", "below"))
	want := `text/SUMMARY.md:5: no page text/gone.md: write it, or remove the line
text/SUMMARY.md:6: a.md is listed twice
text/alone/b.md: not in SUMMARY.md: add it, or remove the page
`
	if exit, _, stderr := command("", "check"); exit != exitFailed || stderr != want {
		t.Errorf("exit %d, stderr\n%s\nwant\n%s", exit, stderr, want)
	}
	if exit, _, stderr := command("", "measure", "x"); exit != exitUsage ||
		!strings.HasPrefix(stderr, "bookalloc: x: no page shows what is measured of this listing today") {
		t.Errorf("measuring an unknown listing: exit %d, stderr\n%s", exit, stderr)
	}
	t.Chdir(t.TempDir())
	if exit, _, stderr := command("", "check"); exit != exitFailed ||
		stderr != "no book.toml here or above: run this in the repository\n" {
		t.Errorf("without a book: exit %d, stderr %q", exit, stderr)
	}
}

// bookJSON returns the JSON that mdBook 0.5 writes for the fixture.
func bookJSON(t *testing.T, text string) string {
	t.Helper()
	root, err := filepath.Abs("testdata/workbook")
	if err != nil {
		t.Fatal(err)
	}
	chapter := func(path any, content string, sub ...any) any {
		if sub == nil {
			sub = []any{}
		}
		return map[string]any{"Chapter": map[string]any{
			"name": "A <name>", "content": content, "number": []int{1}, "sub_items": sub,
			"path": path, "source_path": path, "parent_names": []string{},
		}}
	}
	input, err := json.Marshal([]any{
		map[string]any{"root": root, "config": map[string]any{"book": map[string]any{"src": "book"}},
			"renderer":       "html",
			"mdbook_version": "0.5.4"},
		map[string]any{"items": []any{
			chapter("first/a.md", "# A\n", chapter("first/b.md", text), chapter(nil, "{{#draft}}")),
			"Separator",
			map[string]any{"PartTitle": "Part {{#two}}"},
		}, "added later": 1},
	})
	if err != nil {
		t.Fatal(err)
	}
	return string(input)
}

func TestPreprocess(t *testing.T) {
	tree := func(text string) (tree any) {
		if err := json.Unmarshal([]byte(text), &tree); err != nil {
			t.Fatalf("%v in %s", err, text)
		}
		return tree
	}
	exit, stdout, stderr := command(bookJSON(t, "[a](a.md#a) {{#figure first/listings/grow allocs}}"))
	if exit != exitOK || stderr != "" {
		t.Fatalf("exit %d, stderr %s", exit, stderr)
	}
	figure := `[a](a.md#a) <span class="ots-figure" title="measured: go1.26.8 linux/amd64, 1000 operations">5</span>`
	want := tree(bookJSON(t, figure)).([]any)[1]
	if got := tree(stdout); !reflect.DeepEqual(got, want) {
		t.Errorf("got  %v\nwant %v", got, want)
	}

	exit, stdout, stderr = command(bookJSON(t, "# B\n\n{{#nothing}}"))
	if exit != exitFailed || stdout != "" ||
		!strings.HasPrefix(stderr, "book/first/b.md:3: unknown directive {{#nothing}}: the directives are ") {
		t.Errorf("exit %d, stdout %q, stderr\n%s", exit, stdout, stderr)
	}

	// The repository is the destination of mdBook's own link.
	input := bookJSON(t, `{{#clone "In REPOSITORY."}}`)
	exit, stdout, stderr = command(strings.Replace(input, `"config":{`,
		`"config":{"output":{"html":{"git-repository-url":"https://example.org/x"}},`, 1))
	if exit != exitOK || !strings.Contains(stdout, "In [the repository](https://example.org/x).") {
		t.Errorf("exit %d, stdout %s, stderr %s", exit, stdout, stderr)
	}
	if exit, stdout, _ = command(input); exit != exitOK || strings.Contains(stdout, "repository") {
		t.Errorf("without a repository: exit %d, stdout %s", exit, stdout)
	}

	for input, want := range map[string]string{
		`[{}]`:                        "mdBook's JSON has 1 parts instead of context and book\n",
		`[{}, {"sections": []}]`:      "mdBook's book has no items: use mdBook 0.5\n",
		`[{}, {"items": {}}]`:         "mdBook's items: ",
		`[{"root": 1}, {"items":[]}]`: "mdBook's context: ",
	} {
		if exit, _, stderr := command(input); exit != exitFailed || !strings.HasPrefix(stderr, want) {
			t.Errorf("%s: exit %d, stderr %q, want %q", input, exit, stderr, want)
		}
	}
}
