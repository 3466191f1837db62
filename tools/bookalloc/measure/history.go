package measure

import (
	"cmp"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"onthestack/internal/bookdata"
	"onthestack/internal/printable"
	"onthestack/internal/resultcache"
)

// A History measures listings on releases of Go from 1.4 on.
type History struct {
	Only     []string // minor releases; nil for all
	Progress *printable.StatusLine
	Cache    *resultcache.Cache // the measurements of Check; nil for no cache
	Sample   map[string]bool    // the listings that Check measures again; nil for all

	dir, book string // the book's folder, and its name in the repository
	listings  []*subject
	stored    *bookdata.History
}

// OpenHistory reads the named listings, or all that have a benchmark, and their stored history. The book is the folder
// of that name in the repository at root. The error joins the errors of all listings that cannot be read.
func OpenHistory(root, book string, names []string) (h *History, err error) {
	h = &History{dir: filepath.Join(root, filepath.FromSlash(book)), book: book}
	files := os.DirFS(h.dir)
	if len(names) == 0 {
		if names, err = bookdata.FindListings(files); err != nil {
			return nil, err
		}
	}
	var problems []error
	for _, name := range names {
		part, err := bookdata.ReadMeasuredPart(files, name)
		if err == nil && len(part.Benchmarks) == 0 {
			err = fmt.Errorf("%s: no benchmark to measure", name)
		}
		m, noManifest := bookdata.ReadManifest(files, name)
		problems = append(problems, cmp.Or(err, noManifest))
		h.listings = append(h.listings, &subject{name, m, part})
	}
	h.stored, err = bookdata.ReadHistory(files)
	return h, errors.Join(append(problems, err)...)
}

// Listings returns the names of the listings.
func (h *History) Listings() (names []string) {
	for _, s := range h.listings {
		names = append(names, s.name)
	}
	return names
}

// wants reports whether a minor release is to be measured.
func (h *History) wants(release string) bool {
	return h.Only == nil || slices.Contains(h.Only, release)
}

// A subject is a listing to be measured.
type subject struct {
	name     string // "memory-profiling/listings/interface"
	manifest *bookdata.Manifest
	part     bookdata.MeasuredPart
}
