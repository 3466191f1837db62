package api

import (
	"bytes"
	"errors"
	"fmt"
	"html"
	"io/fs"
	"net/http"
	"regexp"
	"strings"
	"unicode/utf8"

	"onthestack/runner/site"
)

// These match the parts of the editor's page, which is built from site/layouts/play.html, that the runner fills in. It
// replaces the text of the group.
var (
	titlePlace   = regexp.MustCompile(`<title>([^<]*) · `)
	headPlace    = regexp.MustCompile(`</title>()`)
	notePlace    = regexp.MustCompile(`<main[^>]*>()`)
	programPlace = regexp.MustCompile(`(?s)<textarea[^>]*>(.*?)</textarea>`)
	mainPlace    = regexp.MustCompile(`(?s)<main[^>]*>(.*)</main>`)
)

const (
	unlisted = `<meta name="robots" content="noindex">`
	missing  = `<p>This runner has no program at this address: it may have been shared on another runner, it may have been
removed to make room for newer programs, or the address is incomplete.</p>
<p><a href="../play/">Write a program</a></p>
`
	asText = `<noscript><p class="play-note">This program is also available <a href="%[1]s.go">as text</a> or <a ` +
		`href="%[1]s.go?download=true">as a file</a>.</p></noscript>`
	altered = `<p class="play-note">Some bytes of this program are not text and appear as �. <a ` +
		`href="%[1]s.go?download=true">The file</a> has the original bytes.</p>`
)

// A part is text for one of the places in the page.
type part struct {
	place *regexp.Regexp
	html  string
}

// programPage returns the parts of the page for a program, which may consist of any bytes. The program's text is the
// last part, so that no place is searched for in it.
func programPage(id string, program []byte) []part {
	id = html.EscapeString(id)
	note := fmt.Sprintf(asText, id)
	if !utf8.Valid(program) || bytes.IndexByte(program, 0) >= 0 {
		note = fmt.Sprintf(altered, id)
	}
	return []part{{titlePlace, "Program " + id}, {headPlace, unlisted}, {notePlace, note},
		{programPlace, inTextarea(program)}}
}

// missingPage has the parts of the page if there is no such program.
var missingPage = []part{{titlePlace, "Snippet not found"}, {headPlace, unlisted}, {mainPlace, missing}}

// inTextarea escapes a text for a textarea. NUL and bytes that are not UTF-8, which HTML cannot express, become U+FFFD.
func inTextarea(text []byte) string {
	s := html.EscapeString(strings.ToValidUTF8(string(text), "\uFFFD"))
	// An HTML parser turns a literal carriage return into a line feed, and drops a line feed at the beginning.
	return "\n" + strings.NewReplacer("\r", "&#13;", "\x00", "\uFFFD").Replace(s)
}

// show answers with the editor's page, with these parts filled in.
func (s *Server) show(w http.ResponseWriter, r *http.Request, status int, parts []part) {
	page, err := fs.ReadFile(s.settings.Files(), "play/index.html")
	for _, part := range parts {
		if err == nil {
			page, err = put(page, part)
		}
	}
	h := w.Header()
	switch {
	case errors.Is(err, fs.ErrNotExist):
		site.NotFound(w, r, s.settings.Files())
		return
	case err != nil:
		s.log.Error("write the editor's page", "error", err)
		http.Error(w, "The runner could not write this page; its log says why", http.StatusInternalServerError)
		return
	}
	h.Set("Content-Type", "text/html; charset=utf-8")
	h.Set("Content-Security-Policy", site.PagePolicy)
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
