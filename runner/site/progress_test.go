//go:build unix

package site

import (
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// A building is a site under construction: each step waits for a file of its own name in the site's folder.
type building struct {
	*Steps
	page  *Progress
	dir   string
	ended chan struct{}
}

func build(t *testing.T, steps ...Step) *building {
	t.Helper()
	b := &building{dir: t.TempDir(), ended: make(chan struct{})}
	for i, s := range steps {
		wait := "until [ -e go-" + s.Name + " ]; do sleep 0.01; done; "
		steps[i].Command = []string{"sh", "-c", wait + strings.Join(s.Command, " ")}
		steps[i].Estimate = 90 * time.Second
	}
	var err error
	if b.Steps, err = newSteps(steps, stepOptions{Dir: b.dir, Parallel: 2}); err != nil {
		t.Fatal(err)
	}
	site := filepath.Join(b.dir, "public")
	fail := func(w http.ResponseWriter, r *http.Request, err error) { t.Error(err) }
	b.page = &Progress{Steps: b.Steps, Dir: site, Next: Files(os.DirFS(site), fail), Local: func(r *http.Request) bool {
		return r.Header.Get("Far") == ""
	}}
	go func() {
		defer close(b.ended)
		b.Run(t.Context())
	}()
	t.Cleanup(func() { <-b.ended })
	return b
}

// let ends a step, and waits until it has the given state.
func (b *building) let(t *testing.T, name string, state State) {
	t.Helper()
	if err := os.WriteFile(filepath.Join(b.dir, "go-"+name), nil, 0o644); err != nil {
		t.Fatal(err)
	}
	b.wait(name, state)
}

func (b *building) wait(name string, state State) {
	for {
		for _, s := range b.Snapshot().In(state) {
			if s.Name == name {
				return
			}
		}
		time.Sleep(time.Millisecond)
	}
}

func (b *building) get(path string, header ...string) *httptest.ResponseRecorder {
	r := httptest.NewRequest(http.MethodGet, path, nil)
	for _, name := range header {
		r.Header.Set(name, "1")
	}
	w := httptest.NewRecorder()
	if r.URL.Path == StatePath {
		b.page.State(w, r)
	} else {
		b.page.ServeHTTP(w, r)
	}
	return w
}

type preparingState struct {
	Open               bool
	Title, Says, There string
	Steps              []string
}

func (b *building) state(t *testing.T, at string, header ...string) (s preparingState) {
	t.Helper()
	if err := json.NewDecoder(b.get(StatePath+"?at="+at, header...).Body).Decode(&s); err != nil {
		t.Fatal(err)
	}
	return s
}

const makePage = "mkdir -p public/%[1]s && echo '<!DOCTYPE html>the %[1]s' >public/%[1]s/index.html"

func TestPage(t *testing.T) {
	b := build(t,
		Step{Name: "book", Does: "make <the> book", Command: []string{strings.ReplaceAll(makePage, "%[1]s",
			"book")}},
		Step{Name: "site", Does: "make the site", Needs: []string{"book"}, Command: []string{
			strings.ReplaceAll(makePage, "%[1]s", "exercises"), "&& echo the front >public/index.html"}},
	)
	b.wait("book", Running)

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
			`<p role="status" id="says">0 of 2 steps are done. Under way: book.</p>`,
			`<li class="running"><b>book</b><span class="does">make &lt;the&gt; book</span>`,
			`<progress aria-label="book" max="90" value="`,
			`<li class="waiting"><b>site</b><span class="does">make the site</span><span class="took">waits; ` +
				`about 90 s</span></li>`,
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
	}
	if w := b.get("/engine/manifest.json"); w.Code != http.StatusNotFound {
		t.Errorf("a missing file: status %d", w.Code)
	}
	if s := b.state(t, "/"); s.Open || s.Title != "Building the workbook" || s.There != "" || len(s.Steps) != 2 {
		t.Errorf("the state is %+v", s)
	}

	// The book is built before the site. The root then leads to the book, and pages that the book does not have show
	// the progress.
	b.let(t, "book", Done)
	if w := b.get("/"); w.Code != http.StatusFound || w.Header().Get("Location") != "./book/" {
		t.Errorf("the root: status %d, %v", w.Code, w.Header())
	}
	if w := b.get("/book/"); !strings.Contains(w.Body.String(), "the book") {
		t.Errorf("the book is %s", w.Body)
	}
	for at, want := range map[string]bool{"/": true, "/book": true, "/book/": true, "/exercises": false,
		"/exercises/": false, "/preparing": false, "/preparing/": false} {
		if got := b.state(t, at).Open; got != want {
			t.Errorf("%s is there: %v", at, got)
		}
	}
	if text := b.get("/exercises/").Body.String(); !strings.Contains(text,
		`Ready: <a href="../book/">Read the book</a>`) {
		t.Errorf("the page does not link to the book:\n%s", text)
	}

	// Once everything is built, a missing page is a 404.
	b.let(t, "site", Done)
	if w := b.get("/"); w.Code != http.StatusOK || !strings.Contains(w.Body.String(), "the front") {
		t.Errorf("the root: status %d\n%s", w.Code, w.Body)
	}
	if w := b.get("/nowhere/"); w.Code != http.StatusNotFound {
		t.Errorf("what there is not: status %d", w.Code)
	}
	if s := b.state(t, "/nowhere"); !s.Open {
		t.Error("the progress page waits for a page that will never be built")
	}

	// A process that serves no site shows the progress until another takes over.
	b.page.Dir = ""
	if w := b.get("/nowhere/"); w.Code != http.StatusOK || !strings.Contains(w.Body.String(), "2 of 2 steps") {
		t.Errorf("a page before the hand-over: status %d\n%s", w.Code, w.Body)
	}
	if s := b.state(t, "/nowhere"); s.Open {
		t.Error("the progress page leads to a page that another process is to serve")
	}
}

// TestPageFails has a step fail with output that is not HTML, which is shown on this machine alone.
func TestPageFails(t *testing.T) {
	b := build(t,
		Step{Name: "mdBook", Command: []string{"echo 'missing: <cargo>'; exit 1"}},
		Step{Name: "book", Needs: []string{"mdBook"}, Command: []string{"exit 0"}},
		Step{Name: "site", Wants: []string{"book"},
			Command: []string{"mkdir public && echo the front >public/index.html"}},
	)
	b.let(t, "mdBook", Failed)
	b.let(t, "site", Done)
	near, far := b.get("/book/").Body.String(), b.get("/book/", "Far").Body.String()
	for _, want := range []string{
		`<h1 id="title">Something could not be built</h1>`,
		"1 of 3 steps are done. Failed: mdBook. Everything else is served.",
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
	if steps := b.state(t, "/book", "Far").Steps; strings.Contains(strings.Join(steps, ""), "cargo") {
		t.Errorf("the state tells others: %v", steps)
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
