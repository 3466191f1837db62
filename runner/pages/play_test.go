package pages

import (
	"html"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf8"

	"onthestack/runner/snippets"
)

// shownProgram is what a parser of HTML finds in the page's textarea.
func shownProgram(t testing.TB, page string) string {
	t.Helper()
	_, rest, ok := strings.Cut(page, "<textarea")
	_, rest, opened := strings.Cut(rest, ">")
	text, after, ends := strings.Cut(rest, "</textarea")
	if !ok || !opened || !ends || strings.Count(page, "<textarea") != 1 || strings.Count(page, "</textarea") != 1 || !strings.HasSuffix(after, "</html>\n") {
		t.Fatalf("there is not one textarea in:\n%s", page)
	}
	// As the parser does: it takes each kind of line break for a line feed, drops the first, and then decodes.
	text = strings.NewReplacer("\r\n", "\n", "\r", "\n").Replace(text)
	return html.UnescapeString(strings.TrimPrefix(text, "\n"))
}

func TestPlayPage(t *testing.T) {
	p, mux, _ := newPlayground(t, someSnippets)
	for _, built := range []bool{false, true} {
		if built {
			widgets := filepath.Join(p.Book, "widgets")
			if err := os.MkdirAll(widgets, 0o755); err != nil {
				t.Fatal(err)
			}
			for _, name := range []string{"play.js", "play.css"} {
				if err := os.WriteFile(filepath.Join(widgets, name), nil, 0o644); err != nil {
					t.Fatal(err)
				}
			}
		}
		w := ask(mux, "GET", "/play", nil)
		page := w.Body.String()
		if w.Code != http.StatusOK || shownProgram(t, page) != string(playHello) {
			t.Errorf("status %d:\n%s", w.Code, page)
		}
		for header, want := range map[string]string{"Content-Type": "text/html; charset=utf-8", "Content-Security-Policy": playPolicy,
			"Cache-Control": "no-cache"} {
			if got := w.Header().Get(header); got != want {
				t.Errorf("%s: %q, want %q", header, got, want)
			}
		}
		for text, want := range map[string]bool{
			`<script type="module" src="/book/widgets/play.js"></script>`: built,
			`<link rel="stylesheet" href="/book/widgets/play.css">`:       built,
			"make serve":                        !built,
			`<div class="ots-play" data-id="">`: true,
			`<a href="/book/">`:                 true,
			"go1.26.8":                          true,
			"<noscript>":                        true,
			`href="/p/`:                         false,
			"noindex":                           false,
			"�":                                 false,
		} {
			if strings.Contains(page, text) != want {
				t.Errorf("built %v: %q is in the page: %v", built, text, !want)
			}
		}
		wantStrictPage(t, page)
	}
	if w := ask(mux, "HEAD", "/play", nil); w.Code != http.StatusOK {
		t.Errorf("HEAD: status %d", w.Code)
	}
	if w := ask(mux, "POST", "/play", nil); w.Code != http.StatusMethodNotAllowed {
		t.Errorf("POST: status %d", w.Code)
	}
}

// wantStrictPage checks that the page has nothing that its policy would stop.
func wantStrictPage(t testing.TB, page string) {
	t.Helper()
	for _, inline := range []string{"<script>", "javascript:", " onload=", " onclick=", "http://", "https://", "<form"} {
		if strings.Contains(page, inline) {
			t.Errorf("%q is in the page", inline)
		}
	}
}

func TestSharedPage(t *testing.T) {
	_, mux, _ := newPlayground(t, someSnippets)
	for name, c := range map[string]struct {
		program, shown string // shown is "" where it is the program
	}{
		"program":      {program: "package pages\n\nfunc main() {}\n"},
		"nothing":      {program: ""},
		"end tag":      {program: "// </textarea><script>alert(1)</script>\n"},
		"end tag odd":  {program: "</TEXTAREA \n><img src=x onerror=alert(1)>"},
		"entities":     {program: "a &lt; b && c &amp;&amp; d &#0; &nbsp;"},
		"quotes":       {program: `"'` + "`" + `+{{.ID}}<!-- --> <![CDATA[ ]]>`},
		"line break":   {program: "\npackage pages\n"},
		"line breaks":  {program: "\n\n\npackage pages"},
		"returns":      {program: "\r\npackage pages\r\n\r\n"},
		"lone returns": {program: "\r\rpackage pages\r"},
		"tab and bar":  {program: "\tx\v\f\u0085\u2028\u2029"},
		"mark":         {program: "\ufeffpackage pages"},
		"controls":     {program: "\x01\x1b[31m\x7f"},
		"NUL":          {"a\x00b\x00", "a\uFFFDb\uFFFD"},
		"not UTF-8":    {"a\xffb\xc3(\xed\xa0\x80", "a\uFFFDb\uFFFD(\uFFFD"},
		"replacement":  {program: "a\uFFFDb"},
		"large":        {program: strings.Repeat("<", 64<<10)},
	} {
		t.Run(name, func(t *testing.T) {
			id := ask(mux, "POST", "/share", strings.NewReader(c.program)).Body.String()
			w := ask(mux, "GET", "/p/"+id, nil)
			page := w.Body.String()
			if w.Code != http.StatusOK || !strings.Contains(page, `<div class="ots-play" data-id="`+id+`">`) || !strings.Contains(page, "noindex") ||
				!strings.Contains(page, `<a href="/p/`+id+`.go?download=true">as a file</a>`) {
				t.Errorf("status %d:\n%.2000s", w.Code, page)
			}
			want := c.program
			if c.shown != "" {
				want = c.shown
			}
			if got := shownProgram(t, page); got != want {
				t.Errorf("the page shows %.80q, want %.80q", got, want)
			}
			if told := strings.Contains(page, "bytes that are no text"); told != (c.shown != "") {
				t.Errorf("the page says that it shows something else: %v", told)
			}
			wantStrictPage(t, page)
			if text := ask(mux, "GET", "/p/"+id+".go", nil).Body.String(); text != c.program {
				t.Errorf("as text: %.80q", text)
			}
		})
	}
}

func TestMissingPage(t *testing.T) {
	_, mux, _ := newPlayground(t, someSnippets)
	for _, path := range []string{"/p/", "/p/foo", "/p/AAAAAAAAAAA", "/p/%3Cscript%3E", "/p/a/b", "/p/%00", "/p/%ff", "/p/" + strings.Repeat("A", 8000)} {
		w := ask(mux, "GET", path, nil)
		page := w.Body.String()
		if w.Code != http.StatusNotFound || w.Header().Get("Content-Type") != "text/html; charset=utf-8" || w.Header().Get("Content-Security-Policy") != playPolicy ||
			!strings.Contains(page, "Snippet not found") || !strings.Contains(page, `<a href="/play">`) || strings.Contains(page, "textarea class") || strings.Contains(page, `class="ots-play"`) {
			t.Errorf("%.40s: status %d, %v\n%s", path, w.Code, w.Header(), page)
		}
		wantStrictPage(t, page)
	}
}

// FuzzPlayPage holds that the page of any program has that program in its textarea, and nothing of it elsewhere.
func FuzzPlayPage(f *testing.F) {
	p, mux, _ := newPlayground(f, snippets.Limits{Count: 1 << 20, Bytes: 1 << 30})
	// pageOf also returns what is around the program.
	pageOf := func(t testing.TB, program []byte) (page, around string) {
		id, err := p.Store.Put(t.Context(), program)
		if err != nil {
			t.Fatal(err)
		}
		page = ask(mux, "GET", "/p/"+id, nil).Body.String()
		before, rest, _ := strings.Cut(page, "<textarea")
		_, after, _ := strings.Cut(rest, "</textarea")
		return page, strings.ReplaceAll(before+after, id, "ID")
	}
	for _, seed := range []string{"", "\n", "\r\n</textarea>", "\x00", "\xff", "<script>", "&#13;", "{{.}}"} {
		f.Add([]byte(seed))
	}
	_, text := pageOf(f, []byte("package pages"))
	_, altered := pageOf(f, []byte{0})
	f.Fuzz(func(t *testing.T, program []byte) {
		program = program[:min(len(program), snippets.MaxBody)] // no page has a larger one
		page, around := pageOf(t, program)
		want, wantAround := string(program), text
		if !utf8.Valid(program) || strings.Contains(want, "\x00") {
			want, wantAround = strings.ReplaceAll(strings.ToValidUTF8(want, "\uFFFD"), "\x00", "\uFFFD"), altered
		}
		if got := shownProgram(t, page); got != want {
			t.Errorf("the page shows %q, want %q", got, want)
		}
		if around != wantAround {
			t.Errorf("around the program is:\n%s", around)
		}
	})
}
