// Package expand replaces the directives in the book's pages by their content. Paths in directives are slash-separated
// and relative to the book's folder. A Document is a page's Markdown: its directives and its headings.
//
// A new directive is an entry of directives in this package's expand.go, a method of expander that returns its Markdown
// or figure, perhaps by a template in blocks.html, and a line in the comment of tools/bookalloc/main.go.
package expand

import (
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"math"
	"path"
	"slices"
	"strings"
	"sync"

	"onthestack/internal/bookdata"
	"onthestack/internal/exercise"
)

// A Page is one chapter of the book.
type Page struct {
	Path string // in the book's folder: "memory-profiling/README.md"
	Text string // Markdown
}

// ReadPages reads the .md files of a folder, in the order of their names.
func ReadPages(folder fs.FS) (pages []Page, err error) {
	err = fs.WalkDir(folder, ".", func(name string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() || path.Ext(name) != ".md" {
			return err
		}
		text, err := fs.ReadFile(folder, name)
		pages = append(pages, Page{Path: name, Text: string(text)})
		return err
	})
	return pages, err
}

// A Book is the input of the expansion. Its fields are set before any method is called.
type Book struct {
	Dir     string // name of the book's folder in messages: "book"
	Files   fs.FS  // its content
	Catalog exercise.Catalog
	Pages   []Page // in the order of SUMMARY.md
	// Repository is the URL from which this book's repository can be cloned; "" if unknown.
	Repository string

	documents  []*Document // of Pages
	directives []use       // in the order of Pages; nil until they are read
	unread     error       // joins the errors of all directives that cannot be read
}

// A directive is one kind of directive: its usage, and how it is expanded, either to a block on a line of its own, or
// to a figure within a sentence or a drawing.
type directive struct {
	usage    string
	min, max int // number of arguments
	block    func(*expander, []string) (string, error)
	figure   func(*expander, []string) (figure, error)
	listings func([]string) []string // the listings that it is about, given its arguments; nil for none
	today    bool                    // whether it shows what is measured of them on today's Go
}

// anyNumber is the greatest number of arguments of a directive that takes any.
const anyNumber = math.MaxInt

// Parts of usages.
const (
	anchorUsage    = " (the anchor may be left out)"
	benchmarkUsage = " [BENCHMARK]"
	classroomUsage = "confined|wasm|room|pages|worker1|worker2 [run|check|hostile|greedy|disk|graded|grid] FIGURE"
)

// directives has all directives by name.
var directives map[string]directive

func init() {
	directives = map[string]directive{
		"listing": {usage: "PATH.go:ANCHOR" + anchorUsage, min: 1, max: 1,
			block: (*expander).listing, listings: folders},
		"diff": {usage: "PATH.go:ANCHOR PATH.go:ANCHOR" + anchorUsage, min: 2, max: 2,
			block: (*expander).diff, listings: folders},
		"run": {usage: "PATH/main.go:ANCHOR" + anchorUsage, min: 1, max: 1,
			block: (*expander).run, listings: folders},
		"bench": {usage: "PATH.go:ANCHOR" + anchorUsage, min: 1, max: 1,
			block: (*expander).bench, listings: folders},
		"drawing": {usage: `FILE.svg "what it shows"`, min: 2, max: 2, block: (*expander).drawing},
		"clone": {usage: `"instructions for a clone of REPOSITORY" "command"…`, min: 1, max: anyNumber,
			block: (*expander).clone},
		"exercise": {usage: "exerciseN", min: 1, max: 1, block: (*expander).exercise},
		"steps": {usage: "LISTING FILE.go [open]", min: 2, max: 3,
			block: (*expander).steps, listings: first},
		"figure": {usage: "LISTING allocs|bytes|ns|go" + benchmarkUsage +
			" or LISTING@go1.8|exerciseN allocs|bytes|go" + benchmarkUsage, min: 2, max: 3,
			figure: (*expander).figure, listings: beforeAt, today: true},
		"table": {usage: "LISTING…", min: 1, max: anyNumber,
			block: (*expander).table, listings: each, today: true},
		"verdict": {usage: "LISTING", min: 1, max: 1,
			block: (*expander).verdict, listings: first, today: true},
		"escape": {usage: "LISTING FILE.go:ANCHOR" + anchorUsage, min: 2, max: 2,
			block: (*expander).escape, listings: first, today: true},
		"pprof": {usage: `LISTING REGEXP|"-flag…"`, min: 2, max: 2,
			block: (*expander).pprof, listings: first, today: true},
		"output": {usage: `LISTING "command"… (none for what the program prints)`, min: 1, max: anyNumber,
			block: (*expander).output, listings: first},
		"predict": {usage: "LISTING" + benchmarkUsage + " [bytes]", min: 1, max: 3,
			block: (*expander).predict, listings: first, today: true},
		"question": {usage: "CHAPTER/NAME", min: 1, max: 1, block: (*expander).question},
		"gctrace":  {usage: "line|runs", min: 1, max: 1, block: (*expander).gctrace},
		"recipe": {usage: recipeUsage, max: anyNumber,
			block: (*expander).recipe, listings: recipePrograms, today: true},
		"history": {usage: "LISTING… (none for all of the book)", max: anyNumber,
			block: (*expander).grid, listings: each},
		"articles":   {usage: "CHAPTER", min: 1, max: 1, block: (*expander).articles},
		"classroom":  {usage: classroomUsage, min: 2, max: 3, figure: (*expander).classroom},
		"renumbered": {usage: "", block: (*expander).renumbered},
	}
}

// lookup returns the kind of a directive. It is an error if the directive is not used as its usage says.
func lookup(d Directive) (directive, error) {
	kind, ok := directives[d.Name]
	switch {
	case !ok:
		return kind, fmt.Errorf("unknown directive %s: the directives are %s; to write it as text, write \\%s", d.Text,
			strings.Join(slices.Sorted(maps.Keys(directives)), ", "), d.Text)
	case len(d.Args) < kind.min || len(d.Args) > kind.max:
		return kind, fmt.Errorf("%s: use it as {{#%s %s}}", d.Text, d.Name, kind.usage)
	case kind.block != nil && !d.Alone:
		return kind, fmt.Errorf("%s: put it on a line of its own", d.Text)
	}
	return kind, nil
}

// Expand returns the pages' Markdown with all directives expanded, in the order of Pages. The error joins the errors of
// all directives, and of shown listings whose manifest contradicts the history, each with file and line.
func (b *Book) Expand() ([]string, error) {
	x := newExpander(b)
	expanded, problems := x.pages()
	problems = append(problems, x.prove(slices.Sorted(maps.Keys(x.shown)))...)
	return expanded, errors.Join(problems...)
}

// pages expands all pages.
func (x *expander) pages() (expanded []string, problems []error) {
	b := x.book
	x.places, problems = b.exercises()
	expanded = make([]string, len(b.Pages))
	ends := b.chapterEnds()
	for i, linked := range b.linkTerms() {
		x.page, x.predictions = b.Pages[i].Path, nil
		text, err := Parse(linked).Expand(path.Join(b.Dir, x.page), x.directive)
		problems = append(problems, err)
		expanded[i] = Parse(text).IndexLinks()
		if end, ok := ends[path.Dir(x.page)]; ok && end == i {
			again, err := block("again", path.Dir(x.page))
			problems = append(problems, err)
			expanded[i] = strings.TrimRight(expanded[i], "\n") + "\n\n" + again
		}
	}
	return expanded, problems
}

// directive returns the Markdown that replaces a directive. Its error names the directive.
func (x *expander) directive(d Directive) (text string, err error) {
	kind, err := lookup(d)
	switch {
	case err != nil:
		return "", err
	case kind.figure != nil:
		var f figure
		f, err = kind.figure(x, d.Args)
		text = x.fold(d, kind, f.span())
	default:
		text, err = kind.block(x, d.Args)
		text = indent(x.fold(d, kind, text), d.Indent)
	}
	if err != nil {
		return "", fmt.Errorf("%s: %w", d.Text, err)
	}
	return text, nil
}

// indent separates a block from the text around it. Its first line follows the directive's own indentation.
func indent(block, by string) string {
	lines := strings.Split(strings.TrimRight(block, "\n"), "\n")
	for i := range lines {
		if i > 0 && lines[i] != "" {
			lines[i] = by + lines[i]
		}
	}
	return "\n" + by + strings.Join(lines, "\n") + "\n"
}

// An expander expands directives.
type expander struct {
	book        *Book
	places      map[string]string // exercise → page that shows it
	page        string            // the one that is being expanded
	outside     bool              // whether the page is one of the site's
	predictions []prediction      // of the page so far

	history func() (*bookdata.History, error) // what was measured, read once
	shown   map[string]bool                   // listings whose history is on a page
}

func newExpander(b *Book) *expander {
	return &expander{book: b, shown: map[string]bool{},
		history: sync.OnceValues(func() (*bookdata.History, error) { return bookdata.ReadHistory(b.Files) })}
}

// measured returns today's measurements of a listing.
func (x *expander) measured(name string) (*bookdata.MeasuredListing, error) {
	if err := x.exists(name); err != nil {
		return nil, err
	}
	return bookdata.ReadMeasuredListing(x.book.Files, name)
}

// exists returns an error if there is no such listing.
func (x *expander) exists(name string) error {
	if _, err := fs.Stat(x.book.Files, name); err != nil {
		return fmt.Errorf("no such listing: %w", err)
	}
	return nil
}

// fence makes a fenced code block.
func fence(language, text string) string {
	marks := "```"
	for strings.Contains(text, marks) {
		marks += "`"
	}
	return marks + language + "\n" + strings.TrimRight(text, "\n") + "\n" + marks + "\n"
}
