package expand

import (
	"errors"
	"fmt"
	"path"
	"slices"

	"onthestack/internal/bookdata"
)

// Check proves that the pages can be expanded, and of all listings what Prove proves.
func (b *Book) Check() error {
	x := newExpander(b)
	_, problems := x.pages()
	names, err := x.benchmarked()
	return errors.Join(append(problems, err, x.proveAll(names))...)
}

// Prove proves of the named listings, or of all that have a benchmark, that a page shows them and that their manifests
// agree with the history.
func (b *Book) Prove(names []string) error {
	x := newExpander(b)
	if len(names) > 0 {
		return x.proveAll(names)
	}
	names, err := x.benchmarked()
	return errors.Join(err, x.proveAll(names))
}

func (x *expander) proveAll(names []string) error {
	return errors.Join(append(x.proveShown(names), x.prove(names)...)...)
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

// prove holds the manifests of listings against their history.
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

// located puts the book's folder before the file names with which the parts of an error begin.
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

// proveShown proves that a page shows each listing.
func (x *expander) proveShown(names []string) (problems []error) {
	for _, name := range names {
		if _, ok := x.book.firstShown(name); !ok {
			problems = append(problems, fmt.Errorf("%s: no page shows this listing: name it in a directive, or remove it",
				path.Join(x.book.Dir, name)))
		}
	}
	return problems
}
