package expand

import (
	"errors"
	"fmt"
	"path"
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
	names, err := x.benchmarked()
	problems = append(problems, x.claims()...)
	problems = append(problems, x.givenAway()...)
	problems = append(problems, err)
	return errors.Join(slices.Concat(problems, x.proveShown(names), x.prove(names), x.proveCurrent(names))...)
}

// benchmarked returns the book's listings that have a benchmark.
func (x *expander) benchmarked() ([]string, error) {
	if x.found == nil {
		names, err := bookdata.FindListings(x.book.Files)
		if err != nil {
			return names, err
		}
		x.found = names
	}
	return slices.Clone(x.found), nil
}

// prove compares the manifests of listings with their history.
func (x *expander) prove(names []string) (problems []error) {
	h, err := x.history()
	if err != nil {
		return []error{err}
	}
	for _, name := range names {
		m, err := x.manifest(name)
		if err == nil {
			err = h.Prove(name, m)
		}
		problems = append(problems, x.located(err)...)
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
		files, err := bookdata.ReadPackage(x.book.Files, name)
		if err != nil {
			problems = append(problems, err)
			continue
		}
		part, err := bookdata.MeasuredPartOf(files)
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

// located prefixes the file names at the beginning of an error, or of each error that it joins, with the book's folder.
func (x *expander) located(err error) []error {
	if err == nil {
		return nil
	}
	parts := []error{err}
	if joined, ok := err.(interface{ Unwrap() []error }); ok {
		parts = slices.Clone(joined.Unwrap())
	}
	for i := range parts {
		parts[i] = fmt.Errorf("%s/%w", x.book.Dir, parts[i])
	}
	return parts
}

// proveShown reports the listings that no page shows.
func (x *expander) proveShown(names []string) (problems []error) {
	for _, name := range names {
		if _, ok := x.book.firstShown(name); !ok {
			problems = append(problems, fmt.Errorf("%s: no page shows this listing: name it in a directive, or "+
				"remove it",
				path.Join(x.book.Dir, name)))
		}
	}
	return problems
}
