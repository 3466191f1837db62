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

// about reports whether a directive is about a listing.
func (u use) about(listing string) bool {
	return u.kind.listings != nil && slices.Contains(u.kind.listings(u.directive.Args), listing)
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

// uses returns the directives of all pages, in their order.
func (b *Book) uses() []use {
	if b.directives != nil {
		return b.directives
	}
	b.directives = []use{}
	var problems []error
	for i, document := range b.parse() {
		_, err := document.Expand(path.Join(b.Dir, b.Pages[i].Path), func(d Directive) (string, error) {
			kind, err := lookup(d)
			if err != nil {
				return "", err
			}
			b.directives = append(b.directives, use{i, d, kind})
			if d.Name != "drawing" {
				return "", nil
			}
			if _, err := b.withFigures(d.Args[0], func(u use) (string, error) {
				u.page = i
				b.directives = append(b.directives, u)
				return "", nil
			}); err != nil {
				return "", fmt.Errorf("%s: %w", d.Text, err)
			}
			return "", nil
		})
		problems = append(problems, err)
	}
	b.unread = errors.Join(problems...)
	return b.directives
}

// at returns where a directive is, and its text, for messages.
func (b *Book) at(u use) string {
	return fmt.Sprintf("%s:%d: %s", path.Join(b.Dir, b.Pages[u.page].Path), u.directive.Line, u.directive.Text)
}

// Wanted returns the measurements of today that the pages show. The error joins the errors of all directives that
// cannot be read.
func (b *Book) Wanted() (measure.Wanted, error) {
	w := measure.Wanted{Listings: map[string]bool{}, Lines: map[string]bool{}, Steps: map[string]string{},
		Output: map[string][]string{}}
	for _, u := range b.uses() {
		args := u.directive.Args
		// Figures of an older release are in the history, and the figures of an exercise are sealed with it.
		if u.kind.today && (u.directive.Name != "figure" || isListing(args[0]) && !strings.Contains(args[0], "@")) {
			for _, listing := range u.kind.listings(args) {
				w.Listings[listing] = true
			}
		}
		var err error
		switch u.directive.Name {
		case "verdict", "escape":
			w.Lines[args[0]] = true
		case "table":
			w.Tables = append(w.Tables, args)
		case "pprof":
			w.Output[args[0]] = append(w.Output[args[0]], b.pprofCommand(args))
		case "output":
			w.Output[args[0]] = append(w.Output[args[0]], b.outputCommands(args)...)
		case "question":
			err = b.wantQuestion(&w, args[0])
		case "steps":
			name := path.Join(args[0], args[1])
			w.Steps[name], err = b.Program(name)
		}
		if err != nil {
			return w, errors.Join(b.unread, fmt.Errorf("%s: %w", u.directive.Text, err))
		}
	}
	return w, b.unread
}

// The following functions return the listings that a directive shows, given its arguments.

func each(args []string) []string  { return args }
func first(args []string) []string { return args[:1] }

// folders returns the listing of each "PATH.go:ANCHOR".
func folders(args []string) (listings []string) {
	for _, arg := range args {
		name, _, _ := strings.Cut(arg, ":")
		listings = append(listings, path.Dir(name))
	}
	return listings
}

// beforeAt returns the listing of "LISTING@go1.8".
func beforeAt(args []string) []string {
	name, _, _ := strings.Cut(args[0], "@")
	return []string{name}
}
