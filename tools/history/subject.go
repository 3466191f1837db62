package main

import (
	"errors"
	"fmt"
	"io/fs"
	"path"
	"strings"

	"onthestack/internal/bookdata"
)

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
		s, err := newSubject(book, path.Clean(strings.TrimPrefix(name, bookFolder+"/")))
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
