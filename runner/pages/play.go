package pages

import (
	"bytes"
	_ "embed"
	"html"
	"html/template"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"unicode/utf8"

	"onthestack/internal/design"
)

// playPolicy lets the editor's page load its own files only. The editor adds its styles by script.
const playPolicy = "default-src 'self'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; font-src 'self' data:; " +
	"object-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'self'"

var (
	//go:embed play/page.html
	playHTML string
	//go:embed play/page.css
	playCSS string
	//go:embed play/hello.txt
	playHello []byte

	playTemplate = template.Must(template.New("page.html").Parse(playHTML))
)

// A page is what the editor's page shows.
type page struct {
	Title    string        // in the browser's tab
	ID       string        // of a shared program, or ""
	Program  template.HTML // see inTextarea
	Altered  bool          // the page cannot show the program as it is
	Missing  bool          // there is no such program
	Unlisted bool          // not for search engines

	// These show fills in.
	Editor  bool // the editor's script and style are there
	Style   template.CSS
	Version string
}

// Editor is GET /play: the editor with a program to begin with.
func (p *Playground) Editor(w http.ResponseWriter, r *http.Request) {
	if readOnly(w, r) {
		p.show(w, http.StatusOK, programPage("Play", "", playHello))
	}
}

// programPage is the page for a program of whatever bytes.
func programPage(title, id string, program []byte) page {
	return page{
		Title: title, ID: id, Unlisted: id != "",
		Program: inTextarea(program),
		Altered: !utf8.Valid(program) || bytes.IndexByte(program, 0) >= 0,
	}
}

// inTextarea writes a text such that an HTML parser finds it in a textarea. What HTML has no way to write, NUL and what is not
// UTF-8, becomes U+FFFD. The template escapes what would end the element, whatever comes of this.
func inTextarea(text []byte) template.HTML {
	s := html.EscapeString(strings.ToValidUTF8(string(text), "\uFFFD"))
	// A parser takes a carriage return as it stands for a line feed.
	return template.HTML(strings.NewReplacer("\r", "&#13;", "\x00", "\uFFFD").Replace(s))
}

func (p *Playground) show(w http.ResponseWriter, status int, data page) {
	data.Style, data.Version, data.Editor = template.CSS(design.Tokens+playCSS), p.Version, p.hasEditor()
	var out bytes.Buffer
	if err := playTemplate.Execute(&out, data); err != nil {
		p.Log.Error("write the editor's page", "error", err)
		http.Error(w, "The runner could not write this page; its log says why", http.StatusInternalServerError)
		return
	}
	h := w.Header()
	h.Set("Content-Type", contentTypes[".html"])
	h.Set("Content-Security-Policy", playPolicy)
	h.Set("Cache-Control", "no-cache")
	w.WriteHeader(status)
	w.Write(out.Bytes())
}

// hasEditor reports whether the book is built, and the editor's script and style with it.
func (p *Playground) hasEditor() bool {
	for _, name := range []string{"play.js", "play.css"} {
		info, err := os.Stat(filepath.Join(p.Book, "widgets", name))
		if err != nil || !info.Mode().IsRegular() {
			return false
		}
	}
	return true
}
