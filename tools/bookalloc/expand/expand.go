// Package expand replaces the directives in the book's pages by their content. Paths in directives are slash-separated
// and relative to the book's folder. A Document is a page's Markdown: its directives, its links and what can be linked
// to.
//
// A new directive is an entry of directives in this package's expand.go, a method of expander in a file of its own that
// returns its Markdown or figure, and a line in the comment of tools/bookalloc/main.go.
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

	"onthestack/internal/bookdata"
	"onthestack/internal/exercise"
	"onthestack/tools/bookalloc/measure"
)

// A Page is one chapter of the book.
type Page struct {
	Path string // in the book's folder: "memory-profiling/README.md"
	Text string // Markdown
}

// A Book is the input of the expansion. Its fields are set before any method is called.
type Book struct {
	Dir     string // name of the book's folder in messages: "book"
	Files   fs.FS  // its content
	Catalog exercise.Catalog
	Pages   []Page // in the order of SUMMARY.md
	// Repository is the URL from which this book's repository can be cloned; "" if unknown.
	Repository string

	documents []*Document          // of Pages
	drawings  map[string]*Document // by file name
	read      *reading
}

// A directive is one kind of directive: its usage, and how it is expanded, either to a block on a line of its own, or
// to a figure within a sentence or a drawing.
type directive struct {
	usage    string
	min, max int // number of arguments
	block    func(*expander, []string) (string, error)
	figure   func(*expander, []string) (figure, error)
	listings func([]string) []string         // the listings that it is about, given its arguments; nil for none
	want     func(*measure.Wanted, []string) // adds the measurements on today's Go that it needs; nil for none
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
			block: (*expander).listing, listings: folder},
		"run": {usage: "PATH/main.go:ANCHOR" + anchorUsage, min: 1, max: 1,
			block: (*expander).run, listings: folder},
		"bench": {usage: "PATH.go:ANCHOR" + anchorUsage, min: 1, max: 1,
			block: (*expander).bench, listings: folder},
		"drawing": {usage: `FILE.svg "what it shows"`, min: 2, max: 2, block: (*expander).drawing},
		"clone": {usage: `"instructions for a clone of REPOSITORY" "command"…`, min: 1, max: anyNumber,
			block: (*expander).clone},
		"exercise": {usage: "exerciseN", min: 1, max: 1, block: (*expander).exercise},
		"steps": {usage: "LISTING FILE.go [from=N] [to=N] [open]", min: 2, max: 5,
			block: (*expander).steps, listings: first},
		"figure": {usage: "LISTING allocs|bytes|ns|go" + benchmarkUsage +
			" or LISTING@go1.8|exerciseN allocs|bytes|go" + benchmarkUsage, min: 2, max: 3,
			figure: (*expander).figure, listings: beforeAt, want: wantToday},
		"table": {usage: "LISTING…", min: 1, max: anyNumber,
			block: (*expander).table, listings: each, want: wantTable},
		"verdict": {usage: "LISTING", min: 1, max: 1,
			block: (*expander).verdict, listings: first, want: wantFirst},
		"escape": {usage: "LISTING FILE.go:ANCHOR" + anchorUsage, min: 2, max: 2,
			block: (*expander).escape, listings: first, want: wantFirst},
		"pprof": {usage: "LISTING REGEXP", min: 2, max: 2,
			block: (*expander).pprof, listings: first, want: wantPprof},
		"predict": {usage: "LISTING" + benchmarkUsage + " [bytes]", min: 1, max: 3,
			block: (*expander).predict, listings: first, want: wantFirst},
		"question": {usage: "CHAPTER/NAME", min: 1, max: 1, block: (*expander).question},
		"gctrace":  {usage: "line|runs", min: 1, max: 1, block: (*expander).gctrace},
		"recipe": {usage: recipeUsage, max: anyNumber,
			block: (*expander).recipe, listings: recipePrograms, want: wantRecipe},
		"history": {usage: "LISTING… (none for all of the book)", max: anyNumber,
			block: (*expander).grid, listings: each},
		"articles":  {usage: "CHAPTER", min: 1, max: 1, block: (*expander).articles},
		"classroom": {usage: classroomUsage, min: 2, max: 3, figure: (*expander).classroom},
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
// all directives, of links whose destination does not exist, and of shown listings whose manifest contradicts the
// history, each with file and line.
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
	finished := make([]*Document, len(b.Pages))
	for i, document := range b.parse() {
		x.page = b.Pages[i].Path
		text, err := document.Expand(path.Join(b.Dir, x.page), x.directive)
		problems = append(problems, err)
		finished[i] = Parse(endRests(text))
	}
	problems = append(problems, b.links(finished)...)
	for i := range expanded {
		expanded[i] = finished[i].IndexLinks()
	}
	return expanded, problems
}

// directive returns the Markdown that replaces a directive. Its error names the directive.
func (x *expander) directive(d Directive) (string, error) {
	kind, err := lookup(d)
	if err != nil {
		return "", err
	}
	text, err := x.expand(kind, d)
	if err != nil {
		return "", fmt.Errorf("%s: %w", d.Text, err)
	}
	return text, nil
}

// expand returns the Markdown that replaces a directive.
func (x *expander) expand(kind directive, d Directive) (string, error) {
	if kind.figure != nil {
		f, err := kind.figure(x, d.Args)
		return f.span(), err
	}
	text, err := kind.block(x, d.Args)
	if d.Name == "predict" && d.Indent == "" && x.outside == nil {
		text = strings.TrimRight(text, "\n") + "\n\n" + restBegin + "\n"
	}
	return indent(text, d.Indent), err
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
	book     *Book
	places   map[string]string                    // exercise → page that shows it
	page     string                               // the one that is being expanded
	outside  *Links                               // nil for the book's own pages
	files    map[string]*bookdata.ListingFile     // of listings
	listings map[string]*bookdata.MeasuredListing // what is measured of them today
	asked    map[string]bool                      // page and id of what a page lets its reader predict

	past      *bookdata.History             // nil until it is read
	classes   bookdata.Classrooms           // nil until they are read
	manifests map[string]*bookdata.Manifest // by listing
	shown     map[string]bool               // listings whose history is on a page
	found     []string                      // see benchmarked
}

func newExpander(b *Book) *expander {
	return &expander{
		book: b, files: map[string]*bookdata.ListingFile{}, listings: map[string]*bookdata.MeasuredListing{},
		asked: map[string]bool{}, manifests: map[string]*bookdata.Manifest{}, shown: map[string]bool{},
	}
}

// measured returns today's measurements of a listing.
func (x *expander) measured(name string) (*bookdata.MeasuredListing, error) {
	if l, ok := x.listings[name]; ok {
		return l, nil
	}
	if err := x.exists(name); err != nil {
		return nil, err
	}
	l, err := bookdata.ReadMeasuredListing(x.book.Files, name)
	if err == nil {
		x.listings[name] = l
	}
	return l, err
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
