package site

import (
	"crypto/sha256"
	_ "embed"
	"encoding/base64"
	"fmt"
	"html"
	"io"
	"io/fs"
	"net/http"
	"net/url"
	"os"
	"path"
	"strings"
	"time"

	"onthestack/internal/present"
	"onthestack/runner/clients"
)

// StatePath is the path from which a progress page, whose own path is the query parameter "at", gets its next state.
const StatePath = "/preparing/state"

// A Progress serves the site while steps build it. In place of a page that is not built yet it serves a progress page,
// which reloads itself once the page is built. At the root it leads to the book if that is built before the site.
type Progress struct {
	Build *Build
	Dir   string       // folder of the site; "" while another process is to serve it
	Next  http.Handler // serves the files
}

func (p *Progress) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	at := path.Clean("/" + r.URL.Path)
	switch to := p.opens(at); {
	case at == "/preparing":
	case !isPage(at), to == at, p.complete():
		p.Next.ServeHTTP(w, r)
		return
	case to != "":
		w.Header().Set("Cache-Control", "no-store")
		w.Header().Set("Location", "."+to)
		w.WriteHeader(http.StatusFound)
		return
	}
	p.write(w, r, r.URL.Path)
}

// complete reports whether all steps are done. A page that is missing then does not exist, unless this process serves
// no site.
func (p *Progress) complete() bool {
	steps := p.Build.Steps()
	return p.Dir != "" && len(steps) > 0 && len(steps.In(Done)) == len(steps)
}

func isPage(at string) bool {
	ext := path.Ext(at)
	return ext == "" || ext == ".html"
}

// opens returns the path of the page that the path at leads to, or "" if it is not built yet.
func (p *Progress) opens(at string) string {
	root := os.DirFS(p.Dir)
	there := func(name string) bool {
		info, err := fs.Stat(root, name)
		return err == nil && info.Mode().IsRegular()
	}
	name := strings.TrimPrefix(at, "/")
	switch {
	case name != "" && there(name), there(path.Join(name, "index.html")):
		return at
	case name == "" && there("book/index.html"):
		return "/book/"
	}
	return ""
}

// State serves a progress page again, for its script. It answers with 404 if the page at that path is built, or if all
// steps are done without it.
func (p *Progress) State(w http.ResponseWriter, r *http.Request) {
	from := "/" + strings.TrimPrefix(r.URL.Query().Get("at"), "/")
	if at := path.Clean(from); at != "/preparing" && (p.opens(at) != "" || p.complete()) {
		http.NotFound(w, r)
		return
	}
	p.write(w, r, from)
}

// The script and the styles of the progress page.
var (
	//go:embed progress.js
	script string
	//go:embed progress.css
	style string
)

// The page contains its script and its styles. The policy allows no other script, so that output of commands cannot run
// any.
var progressPolicy = "default-src 'none'; connect-src 'self'; style-src 'unsafe-inline'; script-src 'sha256-" +
	sha256Base64(script) +
	"'; img-src data:; base-uri 'none'; form-action 'none'; frame-ancestors 'self'"

func sha256Base64(text string) string {
	sum := sha256.Sum256([]byte(text))
	return base64.StdEncoding.EncodeToString(sum[:])
}

// write serves the progress page for the page at from.
func (p *Progress) write(w http.ResponseWriter, r *http.Request, from string) {
	h := w.Header()
	h.Set("Content-Type", contentTypes[".html"])
	h.Set("Cache-Control", "no-store")
	h.Set("Content-Security-Policy", progressPolicy)
	if r.Method == http.MethodHead {
		return
	}
	steps := p.Build.Steps()
	fmt.Fprintf(w, `<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>%s · On the Stack</title>
<link rel="icon" href="data:,">
<style>%s%s</style>
<noscript><meta http-equiv="refresh" content="3"></noscript>
</head>
<body>
<main>
<p class="name">On the Stack</p>
<h1 id="title">%s</h1>
<p>The first start on a machine compiles the programs that build the workbook; later starts take seconds. Each page
opens by itself as soon as it is built, the book first.</p>
<p role="status" id="says">%s</p>
<ol id="steps" aria-label="Steps">`, title(steps), present.Tokens, style, title(steps), html.EscapeString(says(steps)))
	local := clients.IsLocal(r)
	for _, step := range steps {
		writeItem(w, step, local)
	}
	up := strings.Repeat("../", strings.Count(from, "/")-1)
	fmt.Fprintf(w, `</ol>
<p id="there">%s</p>
</main>
<script data-state="%s%s?at=%s">%s</script>
</body>
</html>
`, p.there(from), up, strings.TrimPrefix(StatePath, "/"), url.QueryEscape(from), script)
}

func title(steps Steps) string {
	if len(steps.In(Failed)) > 0 {
		return "Something could not be built"
	}
	return "Building the workbook"
}

// says returns the state of all steps as sentences. Screen readers read the text aloud when it changes, so it changes
// only when a step begins or ends.
func says(steps Steps) string {
	if len(steps) == 0 {
		return "The build begins."
	}
	var b strings.Builder
	fmt.Fprintf(&b, "%d of %d steps are done.", len(steps.In(Done)), len(steps))
	if running := names(steps.In(Running)); running != "" {
		fmt.Fprintf(&b, " Under way: %s.", running)
	}
	if failed := names(steps.In(Failed)); failed != "" {
		fmt.Fprintf(&b, " Failed: %s.", failed)
		if steps.over() {
			b.WriteString(" Everything else is served. Fix the problem below, then run the same command again.")
		}
	}
	return b.String()
}

func names(steps Steps) string {
	var all []string
	for _, step := range steps {
		all = append(all, step.Name)
	}
	return strings.Join(all, ", ")
}

// there returns links to the parts that are built already, as HTML relative to the page at from.
func (p *Progress) there(from string) string {
	up := strings.Repeat("../", strings.Count(from, "/")-1)
	var links []string
	for _, each := range []struct{ at, text string }{{"book/", "Read the book"}, {"exercises/", "Solve exercises"},
		{"play/", "Write a program"}} {
		if p.opens("/"+strings.TrimSuffix(each.at, "/")) != "" {
			links = append(links, fmt.Sprintf(`<a href="%s%s">%s</a>`, up, each.at, each.text))
		}
	}
	if len(links) == 0 {
		return ""
	}
	return "Ready: " + strings.Join(links, " · ")
}

// writeItem writes a step as HTML. Clients on other machines do not see the output of commands.
func writeItem(w io.Writer, step Step, local bool) {
	fmt.Fprintf(w, `<li class="%s"><b>%s</b><span class="does">%s</span><span class="took">%s</span>`,
		step.State, html.EscapeString(step.Name), html.EscapeString(step.Does), took(step))
	switch step.State {
	case Running:
		lines := strings.Split(step.Output, "\n")
		if last := lines[len(lines)-1]; local && last != "" {
			fmt.Fprintf(w, `<p class="why">%s</p>`, html.EscapeString(last))
		}
	case Skipped:
		fmt.Fprintf(w, `<p class="why">%s</p>`, html.EscapeString(step.Problem))
	case Failed:
		why := step.Problem
		if !local {
			why = "The terminal in which the runner was started shows the reason."
		}
		fmt.Fprintf(w, `<pre tabindex="0" role="region" aria-label="Why %s failed">%s</pre>`,
			html.EscapeString(step.Name), html.EscapeString(why))
	}
	io.WriteString(w, "</li>")
}

// took returns how a step is or has ended, and for how long it has run if that is at least a second and is known.
func took(step Step) string {
	seconds := fmt.Sprintf("%.0f s", step.Took.Seconds())
	known := step.Took >= time.Second
	switch {
	case step.State == Waiting:
		return "waits"
	case step.State == Running:
		return seconds
	case step.State == Done && known:
		return "done in " + seconds
	case step.State == Failed && known:
		return "failed after " + seconds
	}
	return step.State
}
