package site

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// A construction is a site that is being built. The test says what make prints, and writes the pages.
type construction struct {
	page *Progress
	dir  string
}

func construct(t *testing.T, steps ...string) *construction {
	t.Helper()
	b := &construction{dir: t.TempDir()}
	build := &Build{dir: b.dir, ended: make(chan struct{})}
	site := filepath.Join(b.dir, "public")
	fail := func(w http.ResponseWriter, r *http.Request, err error) { t.Error(err) }
	b.page = &Progress{Build: build, Dir: site, Next: Files(os.DirFS(site), fail)}
	if err := os.WriteFile(filepath.Join(b.dir, outputFile), nil, 0o666); err != nil {
		t.Fatal(err)
	}
	for _, step := range steps {
		name, does, _ := strings.Cut(step, " ")
		b.printed(t, "%s= waiting 0 %s", name, does)
	}
	return b
}

// printed has make print a line.
func (b *construction) printed(t *testing.T, format string, args ...any) {
	t.Helper()
	file, err := os.OpenFile(filepath.Join(b.dir, outputFile), os.O_WRONLY|os.O_APPEND, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	if _, err := fmt.Fprintf(file, format+"\n", args...); err != nil {
		t.Fatal(err)
	}
}

// written writes a page of the site.
func (b *construction) written(t *testing.T, name, text string) {
	t.Helper()
	file := filepath.Join(b.dir, "public", name)
	if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

func (b *construction) get(path string, forwarded ...string) *httptest.ResponseRecorder {
	r := httptest.NewRequest(http.MethodGet, path, nil)
	r.Host, r.RemoteAddr = "127.0.0.1:8080", "127.0.0.1:1"
	for _, by := range forwarded {
		r.Header.Set("X-Forwarded-For", by)
	}
	w := httptest.NewRecorder()
	if r.URL.Path == StatePath {
		b.page.State(w, r)
	} else {
		b.page.ServeHTTP(w, r)
	}
	return w
}

func TestPage(t *testing.T) {
	b := construct(t)
	if text := b.get("/book/").Body.String(); !strings.Contains(text, "The build begins.") {
		t.Errorf("before make has printed anything:\n%s", text)
	}
	b = construct(t, "book make <the> book", "site make the site")
	b.printed(t, "book= running %d ", time.Now().Unix()-90)
	b.printed(t, "book: compiling <all>")

	// The progress page is served in place of each page that is not built yet, but not in place of other files.
	for path, state := range map[string]string{
		"/": "preparing/state?at=%2F", "/book/": "../preparing/state?at=%2Fbook%2F",
		"/exercises/one/": "../../preparing/state?at=%2Fexercises%2Fone%2F",
		"/book/a.html":    "../preparing/state?at=%2Fbook%2Fa.html",
		"/preparing/":     "../preparing/state?at=%2Fpreparing%2F",
		"/a&b\"<x/":       "../preparing/state?at=%2Fa%26b%22%3Cx%2F",
	} {
		w := b.get((strings.NewReplacer(`"`, "%22", "<", "%3C")).Replace(path))
		text := w.Body.String()
		if w.Code != http.StatusOK || w.Header().Get("Cache-Control") != "no-store" ||
			!strings.Contains(text, `data-state="`+state+`"`) {
			t.Errorf("%s: status %d, %v\n%s", path, w.Code, w.Header(), text)
		}
		for _, want := range []string{
			`<h1 id="title">Building the workbook</h1>`,
			`<p role="status" id="says">0 of 2 steps are done. Under way: book.</p>`,
			`<li class="running"><b>book</b><span class="does">make &lt;the&gt; book</span><span class="took">9`,
			`<p class="why">compiling &lt;all&gt;</p></li>`,
			`<li class="waiting"><b>site</b><span class="does">make the site</span><span class="took">waits</span></li>`,
			`<p id="there"></p>`,
			`<noscript><meta http-equiv="refresh" content="3"></noscript>`, `--ots-ground`,
		} {
			if !strings.Contains(text, want) {
				t.Errorf("%s has no %s:\n%s", path, want, text)
			}
		}
		policy := w.Header().Get("Content-Security-Policy")
		_, script, _ := strings.Cut(text, `<script data-state="`)
		_, script, _ = strings.Cut(script, ">")
		script, _, _ = strings.Cut(script, "</script>")
		if !strings.Contains(policy, "'sha256-"+sha256Base64(script)+"'") || !strings.Contains(policy,
			"default-src 'none'") {
			t.Errorf("%s: the policy %q does not name the script", path, policy)
		}
		if again := b.get("/" + strings.TrimLeft(state, "./")).Body.String(); again != text {
			t.Errorf("%s: its script gets\n%s\nin place of\n%s", path, again, text)
		}
	}
	if w := b.get("/engine/manifest.json"); w.Code != http.StatusNotFound {
		t.Errorf("a missing file: status %d", w.Code)
	}
	if text := b.get("/book/", "192.168.1.2").Body.String(); strings.Contains(text, "compiling") {
		t.Errorf("another machine sees the output:\n%s", text)
	}

	// The book is built before the site. The root then leads to the book, and pages that the book does not have show
	// the progress.
	b.written(t, "book/index.html", "the book")
	b.printed(t, "book= done %d ", time.Now().Unix())
	if w := b.get("/"); w.Code != http.StatusFound || w.Header().Get("Location") != "./book/" {
		t.Errorf("the root: status %d, %v", w.Code, w.Header())
	}
	if w := b.get("/book/"); !strings.Contains(w.Body.String(), "the book") {
		t.Errorf("the book is %s", w.Body)
	}
	for at, open := range map[string]bool{"/": true, "/book": true, "/book/": true, "/exercises": false,
		"/exercises/": false, "/preparing": false, "/preparing/": false} {
		if code := b.get(StatePath + "?at=" + at).Code; (code == http.StatusNotFound) != open {
			t.Errorf("the progress at %s: status %d", at, code)
		}
	}
	if text := b.get("/exercises/").Body.String(); !strings.Contains(text,
		`Ready: <a href="../book/">Read the book</a>`) {
		t.Errorf("the page does not link to the book:\n%s", text)
	}

	// Once everything is built, a missing page is a 404.
	b.written(t, "index.html", "the front")
	b.printed(t, "site= done %d ", time.Now().Unix())
	if w := b.get("/"); w.Code != http.StatusOK || !strings.Contains(w.Body.String(), "the front") {
		t.Errorf("the root: status %d\n%s", w.Code, w.Body)
	}
	if w := b.get("/nowhere/"); w.Code != http.StatusNotFound {
		t.Errorf("what there is not: status %d", w.Code)
	}
	if code := b.get(StatePath + "?at=/nowhere").Code; code != http.StatusNotFound {
		t.Errorf("the progress page waits for a page that will never be built: status %d", code)
	}

	// A process that serves no site shows the progress until another takes over.
	b.page.Dir = ""
	if w := b.get("/nowhere/"); w.Code != http.StatusOK || !strings.Contains(w.Body.String(), "2 of 2 steps") {
		t.Errorf("a page before the hand-over: status %d\n%s", w.Code, w.Body)
	}
	if code := b.get(StatePath + "?at=/nowhere").Code; code != http.StatusOK {
		t.Errorf("the progress page leads to a page that another process is to serve: status %d", code)
	}
}

// TestPageFails has a step fail with output that is not HTML, which is shown on this machine alone.
func TestPageFails(t *testing.T) {
	b := construct(t, "mdBook", "book", "site")
	for _, line := range []string{"mdBook= running 100 ", "mdBook: missing: <cargo>", "mdBook= failed 103 exit status 1",
		"book= skipped 103 It needs the result of mdBook.", "site= running 103 ", "site= done 104 "} {
		b.printed(t, "%s", line)
	}
	b.written(t, "index.html", "the front")
	near, far := b.get("/book/").Body.String(), b.get("/book/", "192.168.1.2").Body.String()
	for _, want := range []string{
		`<h1 id="title">Something could not be built</h1>`,
		"1 of 3 steps are done. Failed: mdBook. Everything else is served. Fix the problem below, then run the same command again.",
		`<span class="took">failed after 3 s</span>`,
		`<li class="skipped"><b>book</b>`, `<p class="why">It needs the result of mdBook.</p>`,
	} {
		if !strings.Contains(near, want) || !strings.Contains(far, want) {
			t.Errorf("there is no %s:\n%s", want, near)
		}
	}
	const words = `aria-label="Why mdBook failed">missing: &lt;cargo&gt;</pre>`
	if !strings.Contains(near, words) || strings.Contains(far, "cargo") ||
		!strings.Contains(far, "The terminal in which the runner was started shows the reason.") {
		t.Errorf("here:\n%s\nelsewhere:\n%s", near, far)
	}
	if w := b.get("/"); !strings.Contains(w.Body.String(), "the front") {
		t.Errorf("the part that could be built is not served: %s", w.Body)
	}
	r := httptest.NewRequest(http.MethodHead, "/book/", nil)
	w := httptest.NewRecorder()
	b.page.ServeHTTP(w, r)
	if text, _ := io.ReadAll(w.Body); len(text) > 0 {
		t.Errorf("HEAD is answered with %s", text)
	}
}
