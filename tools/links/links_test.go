package main

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// site writes a site's files into a new folder.
func site(t *testing.T, files map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	for name, text := range files {
		name = filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

const base = "https://example.org/workbook/"

func TestBroken(t *testing.T) {
	const target = `<h1 id="here">x</h1><a name="old"></a><p id="a&amp;b ü">`
	for _, c := range []struct{ name, at, text, want string }{
		{"a page", "p.html", `<a href="a/b.html">`, ""},
		{"a folder", "p.html", `<a href="a/">`, ""},
		{"the base", "a/p.html", `<a href="../">`, ""},
		{"by path", "p.html", `<a href="/workbook/a/">`, ""},
		{"whole", "p.html", `<a href="https://example.org/workbook/a/#here">`, ""},
		{"a query", "p.html", `<script src="app.js?v=1"></script>`, ""},
		{"a fragment", "p.html", `<a href="a/#here">`, ""},
		{"a name", "p.html", `<a href="a/#old">`, ""},
		{"words for a script", "p.html", `<a href="a/#open=half-day">`, ""},
		{"an encoded fragment", "p.html", `<a href="a/#a%26b%20%C3%BC">`, ""},
		{"its own fragment", "p.html", `<p id="x"><a href="#x">`, ""},
		{"its own fragment on the page for what is not there", "404.html", `<p id="x"><a href="#x">`, ""},
		{"from the front page", "index.html", `<a href="./"><a href="./a/">`, ""},
		{"the top", "p.html", `<a href="#top"><a href="#">`, ""},
		{"data", "p.html", `<img src="data:,x"><a href="mailto:a@b.c">`, ""},
		{"a name of a feed's item", "index.xml", `<rss><channel><guid isPermaLink="false">x/1</guid></channel></rss>`,
			""},
		{"elsewhere", "p.html", `<a href="https://go.dev/nothing">`, ""},
		{"from the page for what is not there", "404.html", `<a href="/workbook/a/">`, ""},
		{"from there with a base", "404.html", `<base href="/workbook/"><a href="a/">`, ""},
		{"a style's image", "s.css", `a{b:url(app.js)}`, ""},
		{"a feed", "index.xml", `<rss><channel><link>` + base + `a/</link></channel></rss>`, ""},

		{"no page", "p.html", `<a href="b.html">`, `there is no b.html`},
		{"no page of a folder", "p.html", `<a href="c/">`, `there is no c/index.html`},
		{"no slash", "p.html", `<a href="a">`, `add a slash`},
		{"out of the site", "p.html", `<a href="/a/">`, `leaves the site`},
		{"out of the site above", "p.html", `<a href="../a/">`, `leaves the site`},
		{"no fragment", "p.html", `<a href="a/#there">`, `has the id there`},
		{"no fragment of its own", "p.html", `<a href="#there">`, `has the id there`},
		{"no image", "p.html", `<img src="x.png">`, `there is no x.png`},
		{"no image of several", "p.html", `<img srcset="app.js 1x, x.png 2x">`, `there is no x.png`},
		{"no style", "p.html", `<link rel=stylesheet href=x.css>`, `there is no x.css`},
		{"a script", "p.html", `<a href="javascript:x()">`, `is a script`},
		{"without script", "p.html", `<noscript><iframe src="x.html"></iframe></noscript>`, `there is no x.html`},
		{"from the page for what is not there, from its folder", "404.html", `<a href="a/">`,
			`there is no no/such/a/index.html`},
		{"no font", "a/s.css", `a{b:url("../x.woff2")}`, `there is no x.woff2`},
		{"a card elsewhere", "p.html", `<meta property="og:url" content="http://127.0.0.1:8080/">`,
			`does not begin with`},
		{"a card's image without host", "p.html", `<meta property="og:image" content="/workbook/app.js">`,
			`not an absolute URL`},
		{"a canonical address", "p.html", `<link rel="canonical" href="a/">`, `not an absolute URL`},
		{"a feed's link", "index.xml", `<rss><channel><link>` + base + `b/</link></channel></rss>`,
			`there is no b/index.html`},
		{"a feed's item by its address", "index.xml", `<rss><channel><guid>x/1</guid></channel></rss>`,
			`not an absolute URL`},
		{"a feed's text", "index.xml", `<rss><description>&lt;a href="a/"></description></rss>`, `not an absolute URL`},
		{"a feed that is none", "index.xml", `<rss>`, `not well-formed`},
		{"a map", "sitemap.xml", `<urlset><url><loc>https://example.org/a/</loc></url></urlset>`, `leaves the site`},
	} {
		t.Run(c.name, func(t *testing.T) {
			dir := site(t, map[string]string{
				"index.html": "<p>", "a/index.html": target, "a/b.html": "<p>", "app.js": "", "app.js.br": "",
				c.at: c.text,
			})
			var out bytes.Buffer
			err := links([]string{"--base", base, dir}, &out)
			said := out.String()
			if err != nil {
				said += err.Error()
			}
			if (err != nil) != (c.want != "") || !strings.Contains(said, c.want) {
				t.Errorf("%v\n%s\nwant %q", err, &out, c.want)
			}
		})
	}
}

// TestPart tests that links out of a part of the site are not followed, and that the others are.
func TestPart(t *testing.T) {
	for text, want := range map[string]string{
		`<a href="../">`:                       "",
		`<a href="../exercises/#here">`:        "",
		`<a href="https://example.org/a/">`:    "",
		`<a href="b.html#here">`:               "",
		`<a href="c.html">`:                    "there is no c.html",
		`<a href="b.html#there">`:              "has the id there",
		`<a href="../book/c.html">`:            "there is no c.html",
		`<a href="/workbook/book/b.html">`:     "is not relative to its page",
		`<a href="/exercises/">`:               "is not relative to its page",
		`<a href="` + base + `book/c.html">`:   "there is no c.html",
		`<link rel="canonical" href="a.html">`: "not an absolute URL",
	} {
		dir := site(t, map[string]string{"index.html": text, "b.html": `<p id="here">`})
		var out bytes.Buffer
		err := links([]string{"--base", base + "book/", "--part", dir}, &out)
		if (err != nil) != (want != "") || !strings.Contains(out.String(), want) {
			t.Errorf("%s: %v\n%s\nwant %q", text, err, &out, want)
		}
	}
}

func TestExternal(t *testing.T) {
	dir := site(t, map[string]string{
		"index.html":   `<a href="https://go.dev/b"><a href="a/">`,
		"a/index.html": `<a href="https://go.dev/b"><a href="https://go.dev/a"><a href="https://go.dev/a">`,
		"index.xml":    `<rss><link>https://other.example/</link></rss>`,
	})
	var out bytes.Buffer
	if err := links([]string{"--external", dir}, &out); err != nil {
		t.Fatal(err)
	}
	want := []string{"https://go.dev/a", "    a/index.html", "https://go.dev/b", "    a/index.html", "    index.html"}
	if got := strings.Split(strings.TrimSpace(out.String()), "\n"); !slices.Equal(got, want) {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

func TestUsage(t *testing.T) {
	for _, args := range [][]string{nil, {"a", "b"}, {"--bse", "x"}, {"--base", "workbook", "."},
		{"--base", "https://example.org/workbook", "."}} {
		if err := links(args, &bytes.Buffer{}); !errors.Is(err, errUsage) {
			t.Errorf("%q: %v", args, err)
		}
	}
	if err := links([]string{t.TempDir()}, &bytes.Buffer{}); err == nil || !strings.Contains(err.Error(), "make site") {
		t.Errorf("a folder without a site: %v", err)
	}
}
