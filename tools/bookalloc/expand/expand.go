// Package expand replaces the directives of the book's pages by what they stand for.
//
// Paths in directives are slash-separated and begin at the book's folder.
package expand

import (
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"path"
	"slices"
	"strings"

	"onthestack/internal/exercise"
	"onthestack/tools/bookalloc/measure"
	"onthestack/tools/bookalloc/measured"
	"onthestack/tools/bookalloc/page"
)

// A Page is one chapter of the book.
type Page struct {
	Path string // in the book's folder: "memory-profiling/README.md"
	Text string // Markdown
}

// A Book is what directives are expanded from.
type Book struct {
	Dir     string // name of the book's folder in messages: "book"
	Files   fs.FS  // its content
	Catalog exercise.Catalog
	Pages   []Page
}

// A directive says how one kind of directive is used and expanded.
type directive struct {
	usage    string
	min, max int // number of arguments, max < 0 for any
	block    bool
	expand   func(*expander, []string) (string, error)
	want     func(*measure.Wanted, []string)
}

// directives are all there are, by name.
var directives map[string]directive

func init() {
	directives = map[string]directive{
		"listing":  {"PATH.go:ANCHOR (the anchor may be left out)", 1, 1, true, (*expander).listing, nil},
		"run":      {"PATH/main.go:ANCHOR (the anchor may be left out)", 1, 1, true, (*expander).run, nil},
		"drawing":  {`FILE.svg "what it shows"`, 2, 2, true, (*expander).drawing, nil},
		"exercise": {"exerciseN", 1, 1, true, (*expander).exercise, nil},
		"starter":  {"exerciseN allocs|bytes|go [BENCHMARK]", 2, 3, false, (*expander).starter, nil},
		"solution": {"exerciseN allocs|bytes|go [BENCHMARK]", 2, 3, false, (*expander).solution, nil},
		"figure":   {"LISTING allocs|bytes|ns|go [BENCHMARK]", 2, 3, false, (*expander).figure, wantFirst},
		"table":    {"LISTING…", 1, -1, true, (*expander).table, wantTable},
		"history":  {"LISTING go1.N…", 2, -1, true, (*expander).history, wantReleases},
		"verdict":  {"LISTING", 1, 1, true, (*expander).verdict, wantFirst},
		"escape":   {"LISTING FILE.go:ANCHOR (the anchor may be left out)", 2, 2, true, (*expander).escape, wantFirst},
		"pprof":    {"LISTING REGEXP", 2, 2, true, (*expander).pprof, wantPprof},
	}
}

func wanted(w *measure.Wanted, listing string) *measure.Parts {
	if w.Listings[listing] == nil {
		w.Listings[listing] = &measure.Parts{}
	}
	return w.Listings[listing]
}

func wantFirst(w *measure.Wanted, args []string) { wanted(w, args[0]) }

func wantTable(w *measure.Wanted, args []string) {
	for _, listing := range args {
		wanted(w, listing)
	}
	w.Tables = append(w.Tables, args)
}

func wantReleases(w *measure.Wanted, args []string) {
	parts := wanted(w, args[0])
	for _, release := range args[1:] {
		if !slices.Contains(parts.Releases, release) {
			parts.Releases = append(parts.Releases, release)
		}
	}
}

func wantPprof(w *measure.Wanted, args []string) {
	parts := wanted(w, args[0])
	if !slices.Contains(parts.Pprof, args[1]) {
		parts.Pprof = append(parts.Pprof, args[1])
	}
}

// lookup finds the directive and proves that it is used as it is meant to.
func lookup(d page.Directive) (directive, error) {
	kind, ok := directives[d.Name]
	switch {
	case !ok:
		return kind, fmt.Errorf("unknown directive %s: there are %s; as text, write \\%s", d.Text, strings.Join(slices.Sorted(maps.Keys(directives)), ", "), d.Text)
	case len(d.Args) < kind.min || kind.max >= 0 && len(d.Args) > kind.max:
		return kind, fmt.Errorf("%s: use it as {{#%s %s}}", d.Text, d.Name, kind.usage)
	case kind.block && !d.Alone:
		return kind, fmt.Errorf("%s: put it on a line of its own", d.Text)
	}
	return kind, nil
}

// Wanted returns what the pages show of listings. The error joins those of all directives that cannot be read.
func (b *Book) Wanted() (measure.Wanted, error) {
	w := measure.Wanted{Listings: map[string]*measure.Parts{}}
	var problems []error
	for _, p := range b.Pages {
		_, err := page.Expand(path.Join(b.Dir, p.Path), p.Text, func(d page.Directive) (string, error) {
			kind, err := lookup(d)
			if err == nil && kind.want != nil {
				kind.want(&w, d.Args)
			}
			return "", err
		})
		problems = append(problems, err)
	}
	return w, errors.Join(problems...)
}

// Expand returns the pages' Markdown with all directives expanded, in the order of Pages. The error joins those of all
// directives, and of links that lead nowhere, each with file and line.
func (b *Book) Expand() ([]string, error) {
	x := &expander{book: b, listings: map[string]*measured.Listing{}}
	var problems []error
	x.places, problems = b.exercises()
	expanded := make([]string, len(b.Pages))
	for i, p := range b.Pages {
		x.page = p.Path
		var err error
		expanded[i], err = page.Expand(path.Join(b.Dir, p.Path), p.Text, func(d page.Directive) (string, error) {
			kind, err := lookup(d)
			if err != nil {
				return "", err
			}
			text, err := kind.expand(x, d.Args)
			if err != nil {
				return "", fmt.Errorf("%s: %w", d.Text, err)
			}
			if kind.block {
				text = indent(text, d.Indent)
			}
			return text, nil
		})
		problems = append(problems, err)
	}
	problems = append(problems, b.links(expanded)...)
	for i := range expanded {
		expanded[i] = page.IndexLinks(expanded[i])
	}
	return expanded, errors.Join(problems...)
}

// indent sets a block off from what stands around it: its first line follows the directive's own indentation.
func indent(block, by string) string {
	lines := strings.Split(strings.TrimRight(block, "\n"), "\n")
	for i := range lines {
		if i > 0 && lines[i] != "" {
			lines[i] = by + lines[i]
		}
	}
	return "\n" + by + strings.Join(lines, "\n") + "\n"
}

// exercises finds the page that shows each exercise.
func (b *Book) exercises() (places map[string]string, problems []error) {
	places = map[string]string{}
	for _, p := range b.Pages {
		name := path.Join(b.Dir, p.Path)
		// What cannot be read is reported where it is expanded.
		_, _ = page.Expand(name, p.Text, func(d page.Directive) (string, error) {
			if d.Name != "exercise" || len(d.Args) != 1 {
				return "", nil
			}
			if first, ok := places[d.Args[0]]; ok {
				problems = append(problems, fmt.Errorf("%s:%d: %s: %s/%s shows this exercise already: link there", name, d.Line, d.Text, b.Dir, first))
			}
			places[d.Args[0]] = p.Path
			return "", nil
		})
	}
	return places, problems
}

// An expander expands directives.
type expander struct {
	book     *Book
	places   map[string]string // exercise → page that shows it
	page     string            // the one that is being expanded
	listings map[string]*measured.Listing
	releases measured.History
}

// measured returns what was measured of a listing.
func (x *expander) measured(name string) (*measured.Listing, error) {
	if l, ok := x.listings[name]; ok {
		return l, nil
	}
	if _, err := fs.Stat(x.book.Files, name); err != nil {
		return nil, fmt.Errorf("no such listing: %w", err)
	}
	l, err := measured.Read(x.book.Files, name)
	if err == nil {
		x.listings[name] = l
	}
	return l, err
}

// fence makes a fenced code block.
func fence(language, text string) string {
	marks := "```"
	for strings.Contains(text, marks) {
		marks += "`"
	}
	return marks + language + "\n" + strings.TrimRight(text, "\n") + "\n" + marks + "\n"
}
