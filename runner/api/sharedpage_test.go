package api

import (
	"html"
	"net/http"
	"strings"
	"testing"
	"testing/fstest"
	"unicode/utf8"

	"onthestack/runner/site"
	"onthestack/runner/store"
)

// shownProgram returns the text that an HTML parser finds in the page's textarea.
func shownProgram(t testing.TB, page string) string {
	t.Helper()
	_, rest, ok := strings.Cut(page, "<textarea")
	_, rest, opened := strings.Cut(rest, ">")
	text, after, ends := strings.Cut(rest, "</textarea")
	if !ok || !opened || !ends || strings.Count(page, "<textarea") != 1 || strings.Count(page, "</textarea") != 1 ||
		!strings.HasSuffix(after, "</html>\n") {
		t.Fatalf("there is not one textarea in:\n%s", page)
	}
	// An HTML parser takes each kind of line break for a line feed, drops the first one, and then decodes.
	text = strings.NewReplacer("\r\n", "\n", "\r", "\n").Replace(text)
	return html.UnescapeString(strings.TrimPrefix(text, "\n"))
}

// builtPage has those parts of the page built from site/layouts/play.html that the runner fills in.
const builtPage = `<!doctype html><html lang=en data-root=./../><head><meta charset=utf-8><meta http-equiv="Content-Security-Policy" content="default-src 'self'"><title>Play · On the Stack</title>
<script type=module src=../play.js></script></head><body><div class=ots-play><main id=program tabindex=-1><noscript><p>By JavaScript.</p></noscript><textarea name=body readonly></textarea></main></div></body></html>
`

// TestPlayPageIsOne requests the editor's page without a program, which is served as it was built.
func TestPlayPageIsOne(t *testing.T) {
	t.Parallel()
	s, mux, _ := newHandlers(t, someSnippets)
	mux.Handle("/", site.Files(s.settings.Files(), s.failSite))
	w := ask(mux, "GET", "/play/", nil)
	if w.Code != http.StatusOK || w.Body.String() != builtPage ||
		w.Header().Get("Content-Security-Policy") != site.PagePolicy {
		t.Errorf("status %d, %v:\n%s", w.Code, w.Header(), w.Body)
	}
	if w := ask(mux, "GET", "/play", nil); w.Code != http.StatusFound || w.Header().Get("Location") != "./play/" {
		t.Errorf("without its slash: status %d to %q", w.Code, w.Header().Get("Location"))
	}
}

// TestPlayPageIsNotBuilt has a site that is not built, and one whose page has another structure.
func TestPlayPageIsNotBuilt(t *testing.T) {
	s, mux, log := newHandlers(t, someSnippets)
	id := ask(mux, "POST", "/share", strings.NewReader("package main")).Body.String()
	s.settings.Pages = fstest.MapFS{"play/index.html": {Data: []byte("<p>Something else")}}
	if w := ask(mux, "GET", "/p/"+id, nil); w.Code != http.StatusInternalServerError || !strings.Contains(log.String(),
		"build the site anew") {
		t.Errorf("another page: status %d: %s\nlog: %s", w.Code, w.Body, log)
	}
	s.settings.Pages = fstest.MapFS{}
	if w := ask(mux, "GET", "/p/"+id, nil); w.Code != http.StatusNotFound ||
		!strings.Contains(w.Body.String(), "make serve") {
		t.Errorf("no page: status %d: %s", w.Code, w.Body)
	}
	if w := ask(mux, "GET", "/p/"+id+".go", nil); w.Code != http.StatusOK || w.Body.String() != "package main" {
		t.Errorf("as text: status %d: %s", w.Code, w.Body)
	}
}

// wantStrictPage checks that the page has nothing that its content security policy would block.
func wantStrictPage(t testing.TB, page string) {
	t.Helper()
	for _, inline := range []string{"<script>", "javascript:", " onload=", " onclick=", "http://", "https://",
		"<form"} {
		if strings.Contains(page, inline) {
			t.Errorf("%q is in the page", inline)
		}
	}
}

func TestSharedPage(t *testing.T) {
	t.Parallel()
	_, mux, _ := newHandlers(t, someSnippets)
	for name, c := range map[string]struct {
		program, shown string // shown is "" where it is the program
	}{
		"program":      {program: "package sharing\n\nfunc main() {}\n"},
		"nothing":      {program: ""},
		"end tag":      {program: "// </textarea><script>alert(1)</script>\n"},
		"end tag odd":  {program: "</TEXTAREA \n><img src=x onerror=alert(1)>"},
		"entities":     {program: "a &lt; b && c &amp;&amp; d &#0; &nbsp;"},
		"quotes":       {program: `"'` + "`" + `+{{.ID}}<!-- --> <![CDATA[ ]]>`},
		"line break":   {program: "\npackage sharing\n"},
		"line breaks":  {program: "\n\n\npackage sharing"},
		"returns":      {program: "\r\npackage sharing\r\n\r\n"},
		"lone returns": {program: "\r\rpackage sharing\r"},
		"tab and bar":  {program: "\tx\v\f\u0085\u2028\u2029"},
		"mark":         {program: "\ufeffpackage sharing"},
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
			if w.Code != http.StatusOK || w.Header().Get("Content-Security-Policy") != site.PagePolicy ||
				!strings.Contains(page, "noindex") ||
				!strings.Contains(page, "<title>Program "+id+" · On the Stack</title>") || !strings.Contains(page,
				`<a href="`+id+
					`.go?download=true">`) {
				t.Errorf("status %d:\n%.2000s", w.Code, page)
			}
			want := c.program
			if c.shown != "" {
				want = c.shown
			}
			if got := shownProgram(t, page); got != want {
				t.Errorf("the page shows %.80q, want %.80q", got, want)
			}
			if told := strings.Contains(page, "are not text"); told != (c.shown != "") {
				t.Errorf("the page says that characters were replaced: %v", told)
			}
			wantStrictPage(t, page)
			if text := ask(mux, "GET", "/p/"+id+".go", nil).Body.String(); text != c.program {
				t.Errorf("as text: %.80q", text)
			}
		})
	}
}

func TestMissingPage(t *testing.T) {
	t.Parallel()
	_, mux, _ := newHandlers(t, someSnippets)
	for _, path := range []string{"/p/", "/p/foo", "/p/AAAAAAAAAAA", "/p/%3Cscript%3E", "/p/%00", "/p/%ff", "/p/" +
		strings.Repeat("A", 8000)} {
		w := ask(mux, "GET", path, nil)
		page := w.Body.String()
		if w.Code != http.StatusNotFound || w.Header().Get("Content-Type") != "text/html; charset=utf-8" ||
			w.Header().Get("Content-Security-Policy") != site.PagePolicy ||
			!strings.Contains(page, "<title>Snippet not found") || !strings.Contains(page, `<a href="../play/">`) ||
			strings.Contains(page, "<textarea") {
			t.Errorf("%.40s: status %d, %v\n%s", path, w.Code, w.Header(), page)
		}
		wantStrictPage(t, page)
	}
	// The page's relative links do not work at a deeper path.
	if w := ask(mux, "GET", "/p/a/b", nil); w.Code != http.StatusNotFound || strings.Contains(w.Body.String(),
		"Snippet") {
		t.Errorf("/p/a/b: status %d: %s", w.Code, w.Body)
	}
	if w := ask(mux, "HEAD", "/p/foo", nil); w.Code != http.StatusNotFound || w.Body.Len() > 0 {
		t.Errorf("HEAD: status %d, %d bytes", w.Code, w.Body.Len())
	}
}

// FuzzPlayPage tests that the page of any program has that program in its textarea, and no part of it elsewhere.
func FuzzPlayPage(f *testing.F) {
	s, mux, _ := newHandlers(f, store.Limits{Count: 1 << 20, Bytes: 1 << 30})
	// pageOf also returns the page around the program.
	pageOf := func(t testing.TB, program []byte) (page, around string) {
		id, err := s.shared.Put(t.Context(), "a client", program)
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
	_, text := pageOf(f, []byte("package sharing"))
	_, altered := pageOf(f, []byte{0})
	f.Fuzz(func(t *testing.T, program []byte) {
		program = program[:min(len(program), store.MaxBody)] // no page has a larger one
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
