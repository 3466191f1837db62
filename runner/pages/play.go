package pages

import (
	"bytes"
	"errors"
	"fmt"
	"html"
	"io/fs"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"unicode/utf8"
)

// Where the built editor's page, which is site/layouts/play.html, has place for what only the runner knows. The group is replaced.
var (
	titlePlace   = regexp.MustCompile(`<title>([^<]*) · `)
	headPlace    = regexp.MustCompile(`</title>()`)
	notePlace    = regexp.MustCompile(`<main[^>]*>()`)
	programPlace = regexp.MustCompile(`(?s)<textarea[^>]*>(.*?)</textarea>`)
	mainPlace    = regexp.MustCompile(`(?s)<main[^>]*>(.*)</main>`)
)

const (
	unlisted = `<meta name="robots" content="noindex">`
	missing  = `<p>This runner has no program at this address: it may have been shared on another runner, it may have been removed to make room for newer programs, or the address is incomplete.</p>
<p><a href="../play/">Write a program</a></p>
`
	asText  = `<noscript><p class="play-note">This program can also be had <a href="%[1]s.go">as text</a>, or <a href="%[1]s.go?download=true">as a file</a>.</p></noscript>`
	altered = `<p class="play-note">This program has bytes that are no text, shown as �. <a href="%[1]s.go?download=true">The file</a> has them as they are.</p>`
)

// A part of the page is text that comes into one of its places.
type part struct {
	place *regexp.Regexp
	html  string
}

// programPage are the parts of the page for a program of whatever bytes. Its text is the last: no place is looked for in it.
func programPage(id string, program []byte) []part {
	id = html.EscapeString(id)
	note := fmt.Sprintf(asText, id)
	if !utf8.Valid(program) || bytes.IndexByte(program, 0) >= 0 {
		note = fmt.Sprintf(altered, id)
	}
	return []part{{titlePlace, "Program " + id}, {headPlace, unlisted}, {notePlace, note}, {programPlace, inTextarea(program)}}
}

// missingPage are its parts where there is no such program.
func missingPage() []part {
	return []part{{titlePlace, "Snippet not found"}, {headPlace, unlisted}, {mainPlace, missing}}
}

// inTextarea writes a text such that an HTML parser finds it in a textarea. What HTML has no way to write, NUL and what is not
// UTF-8, becomes U+FFFD.
func inTextarea(text []byte) string {
	s := html.EscapeString(strings.ToValidUTF8(string(text), "\uFFFD"))
	// A parser takes a carriage return as it stands for a line feed, and drops the first line feed.
	return "\n" + strings.NewReplacer("\r", "&#13;", "\x00", "\uFFFD").Replace(s)
}

// show answers with the built page and these parts in it.
func (p *Playground) show(w http.ResponseWriter, r *http.Request, status int, parts []part) {
	page, err := os.ReadFile(filepath.Join(p.Site, "play", "index.html"))
	for _, part := range parts {
		if err == nil {
			page, err = put(page, part)
		}
	}
	h := w.Header()
	switch {
	case errors.Is(err, fs.ErrNotExist):
		notThere(w, r, os.DirFS(p.Site))
		return
	case err != nil:
		p.Log.Error("write the editor's page", "error", err)
		http.Error(w, "The runner could not write this page; its log says why", http.StatusInternalServerError)
		return
	}
	h.Set("Content-Type", contentTypes[".html"])
	h.Set("Content-Security-Policy", pagePolicy)
	h.Set("Cache-Control", "no-cache")
	w.WriteHeader(status)
	if r.Method != http.MethodHead {
		w.Write(page)
	}
}

func put(page []byte, part part) ([]byte, error) {
	at := part.place.FindSubmatchIndex(page)
	if at == nil {
		return nil, fmt.Errorf("play/index.html has nothing like %s: build the site anew", part.place)
	}
	return bytes.Join([][]byte{page[:at[2]], []byte(part.html), page[at[3]:]}, nil), nil
}
