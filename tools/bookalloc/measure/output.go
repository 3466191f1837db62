package measure

import (
	"context"
	"errors"
	"io/fs"
	"maps"
	"slices"

	"onthestack/internal/bookdata"
	"onthestack/internal/build"
)

// recordOutput runs the commands whose output the book shows, at the root of the repository, where a reader runs them.
// It runs all commands about a listing, in the order of the pages, because one may read what another has written, and
// none if neither the listing nor Go has changed. all means that w is of the whole book.
func (m *Measurer) recordOutput(ctx context.Context, w Wanted, all bool) error {
	if len(w.Output) == 0 {
		return nil
	}
	stored, err := bookdata.ReadOutput(m.fs())
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	installed, err := m.tools.Version()
	if err != nil {
		return err
	}
	kept := &bookdata.Output{Listings: map[string]*bookdata.ListingOutput{}}
	if !all {
		maps.Copy(kept.Listings, stored.Listings)
	}
	for _, name := range slices.Sorted(maps.Keys(w.Output)) {
		files, err := bookdata.ReadPackage(m.fs(), name)
		if err != nil {
			return err
		}
		o := &bookdata.ListingOutput{Go: installed, Source: bookdata.HashFiles(files), Commands: map[string][]string{}}
		old := stored.Listings[name]
		if old != nil && old.Go == o.Go && old.Source == o.Source &&
			slices.Equal(slices.Sorted(maps.Keys(old.Commands)), slices.Compact(slices.Sorted(slices.Values(w.Output[name])))) {
			kept.Listings[name] = old
			continue
		}
		for _, command := range w.Output[name] {
			m.Progress("%s", command)
			// Without -count=1 the go command may answer from its cache.
			out, err := build.RunTrusted(ctx, m.Root, build.Environ("GOFLAGS=-count=1"), "sh", "-c", command)
			if err != nil {
				return err
			}
			o.Commands[command] = m.lines(out)
		}
		kept.Listings[name] = o
	}
	return kept.Write(m.folder())
}
