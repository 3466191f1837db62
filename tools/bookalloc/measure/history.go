package measure

import (
	"errors"
	"fmt"
	"io/fs"
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
// of that name in the repository at root.
func OpenHistory(root, book string, names []string) (*History, error) {
	h := &History{dir: filepath.Join(root, filepath.FromSlash(book)), book: book}
	var err error
	if h.listings, err = subjects(os.DirFS(h.dir), names); err != nil {
		return nil, err
	}
	h.stored, err = bookdata.ReadHistory(os.DirFS(h.dir))
	return h, err
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

// subjects reads the named listings, or all that have a benchmark. The error joins the errors of all listings that
// cannot be read.
func subjects(book fs.FS, names []string) ([]*subject, error) {
	if len(names) == 0 {
		var err error
		if names, err = bookdata.FindListings(book); err != nil {
			return nil, err
		}
	}
	var problems []error
	var read []*subject
	for _, name := range names {
		s, err := newSubject(book, name)
		problems = append(problems, err)
		read = append(read, s)
	}
	return read, errors.Join(problems...)
}

func newSubject(book fs.FS, name string) (*subject, error) {
	s := &subject{name: name}
	files, err := bookdata.ReadPackage(book, name)
	if err != nil {
		return nil, err
	}
	if s.part, err = bookdata.MeasuredPartOf(files); err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	if len(s.part.Benchmarks) == 0 {
		return nil, fmt.Errorf("%s: no benchmark to measure", name)
	}
	s.manifest, err = bookdata.ReadManifest(book, name)
	return s, err
}
