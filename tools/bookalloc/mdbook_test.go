package main

import (
	"html"
	"io/fs"
	"net/url"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

const mdbookVersion = "mdbook v0.5.4"

// preprocessor is the variable that makes the test program the preprocessor, so that none has to be built for mdBook.
const preprocessor = "BOOKALLOC_PREPROCESSOR"

func TestMain(m *testing.M) {
	if os.Getenv(preprocessor) != "" {
		main()
	}
	m.Run()
}

// mdbook returns the mdbook with the pinned version, from MDBOOK or PATH.
func mdbook(t *testing.T) string {
	t.Helper()
	name := os.Getenv("MDBOOK")
	if name == "" {
		name = "mdbook"
	}
	version, err := exec.Command(name, "--version").Output()
	switch {
	case err == nil && strings.TrimSpace(string(version)) == mdbookVersion:
		return name
	case os.Getenv("CI") == "true":
		t.Fatalf("no %s as %s (%s, %v): set MDBOOK, or put it on PATH", mdbookVersion, name, version, err)
	}
	t.Skipf("NOT TESTED: the book as mdBook makes it. No %s as %s: set MDBOOK, or put it on PATH", mdbookVersion, name)
	return ""
}

// build builds the fixture with mdBook. If text is not "", it replaces the last words of the page "first/extra.md".
func build(t *testing.T, text string) (site fs.FS, output string, err error) {
	t.Helper()
	program := mdbook(t)
	work := t.TempDir()
	if err := os.CopyFS(work, os.DirFS("testdata/workbook")); err != nil {
		t.Fatal(err)
	}
	if text != "" {
		if err := os.WriteFile(filepath.Join(work, "book", "last.md"), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	bin := t.TempDir()
	if err := os.Symlink(self, filepath.Join(bin, "bookalloc")); err != nil {
		t.Fatal(err)
	}
	site = os.DirFS(filepath.Join(work, "site"))
	cmd := exec.Command(program, "build", "--dest-dir", filepath.Join(work, "site"), work)
	// As "make book REPO=…" builds it, with the workbook's own header.
	header, err := os.ReadFile("../../book/theme/header.hbs")
	if err == nil {
		err = os.MkdirAll(filepath.Join(work, "theme"), 0o755)
	}
	if err == nil {
		err = os.WriteFile(filepath.Join(work, "theme", "header.hbs"), header, 0o644)
	}
	if err != nil {
		t.Fatal(err)
	}
	cmd.Env = append(os.Environ(), "MDBOOK_OUTPUT__HTML__GIT_REPOSITORY_URL=https://example.org/you/onthestack",
		preprocessor+"=1", "PATH="+bin+string(filepath.ListSeparator)+os.Getenv("PATH"))
	out, err := cmd.CombinedOutput()
	return site, string(out), err
}

var (
	mainPart = regexp.MustCompile(`(?s)<main>(.*)</main>`)
	script   = regexp.MustCompile(`(?s)<script type="application/json" class="ots-data">(.*?)</script>`)
	linkTo   = regexp.MustCompile(`(?:href|src)="([^"]*)"`)
	anID     = regexp.MustCompile(` id="([^"]*)"`)
)

// TestMdBook tests that mdBook agrees with package expand on a page's content: no link is broken and no directive is
// left.
func TestMdBook(t *testing.T) {
	site, out, err := build(t, "")
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	if strings.Contains(out, "WARN") || strings.Contains(out, "ERROR") {
		t.Errorf("mdBook says\n%s", out)
	}
	pages := map[string]string{}
	for _, name := range []string{"opening.html", "first/index.html", "first/code.html", "first/figures.html",
		"first/past.html", "first/recipe.html", "releases.html", "last.html"} {
		text, err := fs.ReadFile(site, name)
		if err != nil {
			t.Fatal(err)
		}
		m := mainPart.FindSubmatch(text)
		if m == nil {
			t.Fatalf("%s has no <main>", name)
		}
		pages[name] = string(m[1])
	}
	followed := 0
	for name, text := range pages {
		text = script.ReplaceAllString(text, "")
		for _, m := range linkTo.FindAllStringSubmatch(text, -1) {
			u, err := url.Parse(html.UnescapeString(m[1]))
			if err != nil || u.Scheme != "" {
				continue
			}
			followed++
			to := name
			if u.Path != "" {
				to = path.Join(path.Dir(name), u.Path)
			}
			if _, err := fs.Stat(site, to); err != nil {
				t.Errorf("%s links to %s: %v", name, m[1], err)
			}
			if u.Fragment != "" && !hasID(pages[to], u.Fragment) {
				t.Errorf("%s links to %s: no such id", name, m[1])
			}
		}
	}
	if followed < 10 {
		t.Errorf("only %d links were followed", followed)
	}

	// The blocks have the expected elements, and Markdown in them is rendered.
	for name, want := range map[string][]string{
		"opening.html": {`<a href="first/index.html">`, `<a href="first/code.html#what-code-does">`,
			`<a href="last.html#exercise6" title="Last words">`,
			`<div class="ots-predict asks-bytes" id="predict-first-grow">`,
			`<p>Grow by append. Go 1.26.8: <b>5</b> allocs/op, 248 B/op`,
			`<div class="ots-choices" id="question-first-grows">`},
		"first/index.html": {`<span class="ots-figure"`, `{{#figure LISTING allocs}}`, `<code>\{{#x}}</code>`,
			"{{#listing nowhere.go}} \\{{#x}}\n"},
		"first/code.html": {`<pre><code class="language-go">// Grow returns n zeros, and`, `<div class="ots-program">`,
			"<svg role=\"img\" aria-label=\"A &quot;frame&quot; &amp; what &lt;is&gt; in it\""},
		"first/figures.html": {`<div class="ots-verdict">`, `<td style="text-align: right">248</td>`,
			`<code class="language-text">./grow.go:11:17: append(zeros, byte(0)) escapes to heap in Grow:`},
		"first/recipe.html": {`<code>a &lt; b</code>: <span class="ots-figure"`, `<tr><td>Know the length</td>`},
		"first/past.html": {
			`On <span class="ots-figure"`,
			`<td class="ots-heat-3 is-article" title="Go 1.8.7: 7 allocs/op, 253 B/op">7<span class="ots-hidden">, ` +
				`the article's release</span></td>`,
			`less, as in <code>a &lt; b</code>. <a href="https://go.dev/doc/go1.12">Go 1.12 notes</a></li>`,
			`<th scope="colgroup" colspan="3">Article</th>`,
		},
		"releases.html": {`<th scope="colgroup" colspan="6"><a href="first/index.html">First</a></th>`,
			`<th scope="row"><a href="first/code.html">Grow by append</a></th>`},
		"last.html": {`<section class="ots-exercise" id="exercise6" data-exercise="exercise6">`,
			`<pre><code class="language-console">$ git clone https://example.org/you/onthestack onthestack`,
			"$ go run ./tools/checkalloc exercise6\n", "<details><summary>Hint 3</summary>\n<p>"},
	} {
		for _, w := range want {
			if !strings.Contains(strings.ReplaceAll(pages[name], "&#34;", "&quot;"), w) {
				t.Errorf("%s lacks %s:\n%s", name, w, pages[name])
			}
		}
	}
	// pages has the content of each page without the header, so read a whole file.
	const repository = `<a class="ots-repository" data-repository href="https://example.org/you/onthestack">Source</a>`
	if text, err := fs.ReadFile(site, "last.html"); err != nil || !strings.Contains(string(text), repository) {
		t.Errorf("the header of last.html has no link to the repository, %v", err)
	}
	if m := script.FindStringSubmatch(pages["first/code.html"]); m == nil ||
		!strings.Contains(m[1], `fmt.Println(\"\u003chello\u003e`) || strings.Contains(m[1], "&quot;") {
		t.Errorf("the program's data is %q", m)
	}
}

func hasID(page, id string) bool {
	for _, m := range anID.FindAllStringSubmatch(page, -1) {
		if html.UnescapeString(m[1]) == id {
			return true
		}
	}
	return false
}

func TestMdBookFailsOnError(t *testing.T) {
	_, out, err := build(t, "# Last words {#exercise6}\n\n{{#unknown}}\n")
	if err == nil ||
		!strings.Contains(out,
			"book/last.md:3: unknown directive {{#unknown}}: the directives are articles, bench, classroom, clone, diff, "+
				"drawing,") {
		t.Errorf("error %v\n%s", err, out)
	}
}
