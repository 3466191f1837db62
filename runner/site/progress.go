package site

import (
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
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

	"onthestack/internal/present/design"
)

// StatePath is the path at which the progress page polls the state of the steps. The query parameter "at" is the page's
// own path.
const StatePath = "/preparing/state"

// A Progress serves the site while steps build it. In place of a page that is not built yet it serves a progress page,
// which reloads itself once the page is built. At the root it leads to the book if that is built before the site.
type Progress struct {
	Steps *Steps
	Dir   string       // folder of the site; "" while another process is to serve it
	Next  http.Handler // serves the files
	// Local reports whether a request comes from this machine. Other clients do not see the output of failed commands.
	Local func(*http.Request) bool
}

func (p *Progress) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	steps := p.Steps.Snapshot()
	at := path.Clean("/" + r.URL.Path)
	switch to := p.opens(at); {
	case at == "/preparing":
	case !isPage(at), to == at, p.complete(steps):
		p.Next.ServeHTTP(w, r)
		return
	case to != "":
		w.Header().Set("Cache-Control", "no-store")
		w.Header().Set("Location", "."+to)
		w.WriteHeader(http.StatusFound)
		return
	}
	h := w.Header()
	h.Set("Content-Type", "text/html; charset=utf-8")
	h.Set("Cache-Control", "no-store")
	h.Set("Content-Security-Policy", progressPolicy)
	if r.Method != http.MethodHead {
		p.write(w, r, steps)
	}
}

// complete reports whether all steps are done. A page that is missing then does not exist, unless this process serves
// no site.
func (p *Progress) complete(steps Snapshot) bool {
	return p.Dir != "" && len(steps.In(Done)) == len(steps)
}

// isPage reports whether a path may name a page.
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

// State serves the state of the steps as JSON, for the script of the progress page.
func (p *Progress) State(w http.ResponseWriter, r *http.Request) {
	from := "/" + strings.TrimPrefix(r.URL.Query().Get("at"), "/")
	at := path.Clean(from)
	steps := p.Steps.Snapshot()
	state := struct {
		Open  bool     `json:"open"` // the page is built, or all steps are done without it
		Title string   `json:"title"`
		Says  string   `json:"says"`
		Steps []string `json:"steps"` // HTML
		There string   `json:"there"` // HTML
	}{at != "/preparing" && (p.opens(at) != "" || p.complete(steps)), title(steps), says(steps), nil, p.there(from)}
	for _, step := range steps {
		state.Steps = append(state.Steps, p.item(step, r))
	}
	h := w.Header()
	h.Set("Content-Type", "application/json")
	h.Set("Cache-Control", "no-store")
	json.NewEncoder(w).Encode(state)
}

const script = `
"use strict";
const find = (name) => document.getElementById(name);
const write = (name, text) => { if (find(name).textContent !== text) find(name).textContent = text; };
const state = document.currentScript.dataset.state;
let unanswered = 0;
const ask = async () => {
  try {
    const answer = await fetch(state, { cache: "no-store" });
    if (answer.status === 404) return location.reload();
    const { open, title, says, steps, there } = await answer.json();
    if (open) return location.reload();
    document.title = title + " · On the Stack";
    write("title", title);
    write("says", says);
    // The runner, which takes over from bootstrap, has one step less.
    if (find("steps").children.length !== steps.length)
      find("steps").replaceChildren(...steps.map(() => document.createElement("li")));
    steps.forEach((step, i) => {
      const item = find("steps").children[i];
      const next = document.createElement("template");
      next.innerHTML = step;
      if (item.outerHTML !== next.innerHTML) item.replaceWith(next.content);
    });
    if (find("there").dataset.html !== there) {
      find("there").innerHTML = there;
      find("there").dataset.html = there;
    }
    unanswered = 0;
  } catch {
    // The runner takes over from the program that compiled it within a second or two.
    if (++unanswered > 3)
      write("says", "The runner does not answer. Start it again with make serve: this page then continues.");
  }
  setTimeout(ask, 1000);
};
setTimeout(ask, 1000);
`

const style = `
html { font-size: 62.5%; color-scheme: light dark; }
body { margin: 0; background: var(--ots-ground); color: var(--ots-ink);
  font: var(--ots-reading)/var(--ots-line) var(--ots-sans); }
main { max-width: var(--ots-measure); margin: 0 auto; padding: calc(6 * var(--ots-step)) calc(2 * var(--ots-step)); }
.name { color: var(--ots-muted); font-size: var(--ots-small); margin: 0; }
h1 { font-size: 2.8rem; line-height: 1.2; margin: 0 0 calc(2 * var(--ots-step)); }
p { margin: 0 0 calc(2 * var(--ots-step)); }
a { color: var(--ots-link); }
code, pre { font-family: var(--ots-mono); font-size: var(--ots-mono-size); }
ol { list-style: none; margin: calc(3 * var(--ots-step)) 0; padding: 0; border-top: 1px solid var(--ots-rule); }
li { display: grid; grid-template-columns: 8ch 1fr auto; gap: 0 calc(2 * var(--ots-step)); align-items: baseline;
  padding: calc(1.25 * var(--ots-step)) 0; border-bottom: 1px solid var(--ots-rule); font-size: var(--ots-text); }
li b { font-weight: 600; }
.took { color: var(--ots-muted); font-variant-numeric: tabular-nums; text-align: right; }
.waiting, .skipped { color: var(--ots-muted); }
.done .took { color: var(--ots-pass); }
.failed .took { color: var(--ots-wrong); }
li > progress { grid-column: 2 / -1; width: 100%; height: 0.6rem; border: 0; border-radius: 0.3rem;
  margin: var(--ots-step) 0 calc(0.5 * var(--ots-step)); appearance: none; overflow: hidden;
  background: var(--ots-rule); accent-color: var(--ots-stack); }
progress::-webkit-progress-bar { background: var(--ots-rule); }
progress::-webkit-progress-value { background: var(--ots-stack); }
progress::-moz-progress-bar { background: var(--ots-stack); }
pre { grid-column: 1 / -1; margin: var(--ots-step) 0 0; padding: calc(1.5 * var(--ots-step));
  background: var(--ots-wrong-soft);
  white-space: pre-wrap; overflow-wrap: anywhere; max-height: 24em; overflow: auto; }
li > .why { grid-column: 2 / -1; margin: 0; }
@media (max-width: 480px) {
  li { grid-template-columns: 1fr auto; }
  li .does, li > progress, li > .why { grid-column: 1 / -1; grid-row: auto; }
  li .does { order: 1; } li > progress, li > .why, li > pre { order: 2; }
}
`

// The page contains its script and its styles. The policy allows no other script, so that output of commands cannot run
// any.
var progressPolicy = "default-src 'none'; connect-src 'self'; style-src 'unsafe-inline'; script-src 'sha256-" +
	sha256Base64(script) +
	"'; img-src data:; base-uri 'none'; form-action 'none'; frame-ancestors 'self'"

func sha256Base64(text string) string {
	sum := sha256.Sum256([]byte(text))
	return base64.StdEncoding.EncodeToString(sum[:])
}

func (p *Progress) write(w io.Writer, r *http.Request, steps Snapshot) {
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
<ol id="steps" aria-label="Steps">`, title(steps), design.Tokens, style, title(steps), html.EscapeString(says(steps)))
	for _, step := range steps {
		io.WriteString(w, p.item(step, r))
	}
	up := strings.Repeat("../", strings.Count(r.URL.Path, "/")-1)
	fmt.Fprintf(w, `</ol>
<p id="there">%s</p>
</main>
<script data-state="%s%s?at=%s">%s</script>
</body>
</html>
`, p.there(r.URL.Path), up, strings.TrimPrefix(StatePath, "/"), url.QueryEscape(r.URL.Path), script)
}

func title(steps Snapshot) string {
	if len(steps.In(Failed)) > 0 {
		return "Something could not be built"
	}
	return "Building the workbook"
}

// says returns the state of all steps as sentences. Screen readers read the text aloud when it changes, so it changes
// only when a step begins or ends.
func says(steps Snapshot) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%d of %d steps are done.", len(steps.In(Done)), len(steps))
	if running := names(steps.In(Running)); running != "" {
		fmt.Fprintf(&b, " Under way: %s.", running)
	}
	if failed := names(steps.In(Failed)); failed != "" {
		fmt.Fprintf(&b, " Failed: %s.", failed)
		if steps.Over() {
			b.WriteString(" Everything else is served. Fix the problem below, then run make serve again.")
		}
	}
	return b.String()
}

func names(steps Snapshot) string {
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

// item returns a step as HTML. It must have the form in which browsers serialize HTML, because the script compares it
// with outerHTML.
func (p *Progress) item(step Status, r *http.Request) string {
	var b strings.Builder
	fmt.Fprintf(&b, `<li class="%s"><b>%s</b><span class="does">%s</span><span class="took">%s</span>`,
		step.State, html.EscapeString(step.Name), html.EscapeString(step.Does), took(step))
	switch step.State {
	case Running:
		fmt.Fprintf(&b, `<progress aria-label="%s" max="%.0f" value="%.0f"></progress>`, html.EscapeString(step.Name),
			step.Estimate.Seconds(), min(step.Took, step.Estimate).Seconds())
	case Skipped:
		fmt.Fprintf(&b, `<p class="why">%s</p>`, html.EscapeString(step.Problem))
	case Failed:
		why := step.Problem
		if !p.Local(r) {
			why = "The terminal in which the runner was started shows the reason."
		}
		fmt.Fprintf(&b, `<pre tabindex="0" role="region" aria-label="Why %s failed">%s</pre>`,
			html.EscapeString(step.Name),
			html.EscapeString(why))
	}
	b.WriteString("</li>")
	return b.String()
}

func took(step Status) string {
	spent, about := step.Took.Seconds(), step.Estimate.Seconds()
	switch step.State {
	case Waiting:
		return fmt.Sprintf("waits; about %.0f s", about)
	case Running:
		if step.Took > step.Estimate {
			return fmt.Sprintf("%.0f s; usually about %.0f s", spent, about)
		}
		return fmt.Sprintf("%.0f s of about %.0f s", spent, about)
	case Done:
		if step.Took < time.Second {
			return "done"
		}
		return fmt.Sprintf("done in %.0f s", spent)
	case Failed:
		return fmt.Sprintf("failed after %.0f s", spent)
	default:
		return "skipped"
	}
}
