package expand

import (
	"errors"
	"fmt"
	"slices"

	"onthestack/internal/bookdata"
)

// Check reports an error unless all pages can be expanded, what they say of releases of Go has a source (see
// ClaimsFile), no page gives away what a later one lets the reader predict, a page shows each listing that has a
// benchmark, their manifests agree with the history, and none of them has changed since it was measured. It measures
// nothing.
func (b *Book) Check() error {
	x := newExpander(b)
	_, problems := x.pages()
	names, err := bookdata.FindListings(x.book.Files)
	problems = append(problems, x.claims()...)
	problems = append(problems, x.givenAway()...)
	problems = append(problems, err)
	for _, name := range names {
		if page, _ := b.firstShown(name); page == "" {
			problems = append(problems, fmt.Errorf("%s/%s: no page shows this listing: name it in a directive, or "+
				"remove it", b.Dir, name))
		}
	}
	return errors.Join(slices.Concat(problems, x.prove(names), x.proveCurrent(names))...)
}

// prove compares the manifests of listings with their history.
func (x *expander) prove(names []string) (problems []error) {
	h, err := x.history()
	if err != nil {
		return []error{err}
	}
	for _, name := range names {
		m, err := x.manifest(name)
		if err != nil {
			problems = append(problems, x.located(err)...)
			continue
		}
		problems = append(problems, x.located(h.Prove(name, m)...)...)
	}
	return problems
}

// proveCurrent reports the listings that have changed since they were measured.
func (x *expander) proveCurrent(names []string) (problems []error) {
	h, err := x.history()
	if err != nil {
		return nil // prove reports it
	}
	stored, err := bookdata.MeasuredListings(x.book.Files)
	problems = append(problems, err)
	for _, name := range names {
		part, err := bookdata.ReadMeasuredPart(x.book.Files, name)
		if err != nil {
			problems = append(problems, err)
			continue
		}
		problems = append(problems, x.located(h.CheckSource(name, part.Source()))...)
		if !slices.Contains(stored, name) {
			continue
		}
		l, err := x.measured(name)
		if err == nil {
			err = l.CheckSource(part.Source())
		}
		problems = append(problems, x.located(err)...)
	}
	return problems
}

// located prefixes the file names at the beginning of errors with the book's folder.
func (x *expander) located(errs ...error) (located []error) {
	for _, err := range errs {
		if err != nil {
			located = append(located, fmt.Errorf("%s/%w", x.book.Dir, err))
		}
	}
	return located
}
