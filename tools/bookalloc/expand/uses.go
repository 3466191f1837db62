package expand

import (
	"errors"
	"fmt"
	"path"
	"slices"
	"strings"

	"onthestack/tools/bookalloc/measure"
)

// A use is one directive of a page, or of a drawing on it.
type use struct {
	page      int // index of Book.Pages
	directive Directive
	kind      directive
}

// A reading has all directives of a book.
type reading struct {
	uses  []use            // in the order of the pages
	about map[string][]int // listing → indices of the uses that show it
	err   error            // joins the errors of all directives that cannot be read
}

// parse reads the pages.
func (b *Book) parse() []*Document {
	if b.documents == nil {
		for _, p := range b.Pages {
			b.documents = append(b.documents, Parse(p.Text))
		}
	}
	return b.documents
}

// uses returns the directives of all pages.
func (b *Book) uses() *reading {
	if b.read != nil {
		return b.read
	}
	b.read = &reading{about: map[string][]int{}}
	add := func(u use) {
		if u.kind.listings != nil {
			for _, listing := range u.kind.listings(u.directive.Args) {
				b.read.about[listing] = append(b.read.about[listing], len(b.read.uses))
			}
		}
		b.read.uses = append(b.read.uses, u)
	}
	var problems []error
	for i, document := range b.parse() {
		_, err := document.Expand(path.Join(b.Dir, b.Pages[i].Path), func(d Directive) (string, error) {
			kind, err := lookup(d)
			if err != nil {
				return "", err
			}
			add(use{i, d, kind})
			if d.Name != "drawing" {
				return "", nil
			}
			inside, err := b.figuresOf(d.Args[0])
			if err != nil {
				return "", fmt.Errorf("%s: %w", d.Text, err)
			}
			for _, u := range inside {
				u.page = i
				add(u)
			}
			return "", nil
		})
		problems = append(problems, err)
	}
	b.read.err = errors.Join(problems...)
	return b.read
}

// Wanted returns the measurements of today that the pages show. The error joins the errors of all directives that
// cannot be read.
func (b *Book) Wanted() (measure.Wanted, error) {
	w := measure.Wanted{Listings: map[string]*measure.Parts{}, Steps: map[string]string{}}
	read := b.uses()
	for _, u := range read.uses {
		if u.kind.want != nil {
			u.kind.want(&w, u.directive.Args)
		}
		if u.directive.Name == "question" {
			if err := b.wantQuestion(&w, u.directive.Args[0]); err != nil {
				return w, errors.Join(read.err, fmt.Errorf("%s: %w", u.directive.Text, err))
			}
		}
		if u.directive.Name == "steps" {
			name := path.Join(u.directive.Args[0], u.directive.Args[1])
			text, err := b.Program(name)
			if err != nil {
				return w, errors.Join(read.err, fmt.Errorf("%s: %w", u.directive.Text, err))
			}
			w.Steps[name] = text
		}
	}
	return w, read.err
}

func wanted(w *measure.Wanted, listing string) *measure.Parts {
	if w.Listings[listing] == nil {
		w.Listings[listing] = &measure.Parts{}
	}
	return w.Listings[listing]
}

func wantFirst(w *measure.Wanted, args []string) { wanted(w, args[0]) }

// wantToday adds the listing of a figure, unless the figure is of an older release, which is in the history, or of an
// exercise.
func wantToday(w *measure.Wanted, args []string) {
	if isListing(args[0]) && !strings.Contains(args[0], "@") {
		wanted(w, args[0])
	}
}

func wantTable(w *measure.Wanted, args []string) {
	for _, listing := range args {
		wanted(w, listing)
	}
	w.Tables = append(w.Tables, args)
}

func wantPprof(w *measure.Wanted, args []string) {
	parts := wanted(w, args[0])
	if !slices.Contains(parts.Pprof, args[1]) {
		parts.Pprof = append(parts.Pprof, args[1])
	}
}

// The following functions return the listings that a directive shows, given its arguments.

func each(args []string) []string  { return args }
func first(args []string) []string { return args[:1] }

// folder returns the listing of "PATH.go:ANCHOR".
func folder(args []string) []string {
	name, _, _ := strings.Cut(args[0], ":")
	return []string{path.Dir(name)}
}

// beforeAt returns the listing of "LISTING@go1.8".
func beforeAt(args []string) []string {
	name, _, _ := strings.Cut(args[0], "@")
	return []string{name}
}
