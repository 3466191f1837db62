package main

import (
	"context"
	"errors"
	"fmt"
	"go/version"
	"io"
	"slices"
	"text/tabwriter"

	"onthestack/internal/bookdata"
	"onthestack/internal/build"
)

// oldest is the first release that has TestMain, by which a listing is measured.
const oldest = "go1.4"

// releases returns the newest patch of each minor release that is wanted, oldest first.
func (b *book) releases(ctx context.Context) ([]string, error) {
	all, err := build.Releases(ctx)
	return slices.DeleteFunc(all, func(patch string) bool {
		minor := version.Lang(patch)
		return version.Compare(minor, oldest) < 0 || !b.wants(minor)
	}), err
}

// update measures what the history lacks, one release after the other, and writes the history after each release. all
// means that b.listings are all listings of the book: measurements of others are then removed.
func (b *book) update(ctx context.Context, all bool) error {
	patches, err := b.releases(ctx)
	if err != nil {
		return err
	}
	if all {
		b.prune()
	}
	var problems []error
	for _, patch := range patches {
		minor := version.Lang(patch)
		missing := slices.DeleteFunc(slices.Clone(b.listings), func(s *subject) bool {
			old, ok := b.history.Listings[s.name][minor]
			return !s.manifest.On(minor) || ok && old.Source == s.part.Source() && old.Go == patch
		})
		if len(missing) == 0 {
			continue
		}
		found, err := b.measure(ctx, patch, missing)
		var gone *unavailable
		switch {
		case errors.As(err, &gone):
			b.progress.Print("%s: not measured: %v", patch, gone)
			err = nil
		case len(found) > 0:
			b.history.Releases[minor] = patch
		}
		for s, m := range found {
			b.history.Set(s.name, minor, m)
		}
		if err := errors.Join(ctx.Err(), b.history.Write(b.dir)); err != nil {
			return err
		}
		problems = append(problems, err)
	}
	if err := errors.Join(problems...); err != nil {
		return err
	}
	if err := b.history.Write(b.dir); err != nil {
		return err
	}
	b.progress.Print("%d listings on %d releases: book/%s", len(b.listings), len(b.history.Releases),
		bookdata.HistoryFile)
	if b.only != nil {
		return nil // with some releases only, prove would report the others as missing
	}
	return b.prove()
}

// prune removes listings that the book no longer has, and releases on which their manifests exclude them.
func (b *book) prune() {
	for name, releases := range b.history.Listings {
		i := slices.IndexFunc(b.listings, func(s *subject) bool { return s.name == name })
		if i < 0 {
			delete(b.history.Listings, name)
			continue
		}
		for minor := range releases {
			if !b.listings[i].manifest.On(minor) {
				delete(releases, minor)
			}
		}
	}
}

// prove compares every listing's manifest with the history.
func (b *book) prove() error {
	var problems []error
	for _, s := range b.listings {
		problems = append(problems, b.history.Prove(s.name, s.manifest))
	}
	return errors.Join(problems...)
}

// print measures the listings and prints the figures of each benchmark, with a row for each release.
func (b *book) print(ctx context.Context, to io.Writer) error {
	patches, err := b.releases(ctx)
	if err != nil {
		return err
	}
	h := &bookdata.History{Listings: map[string]map[string]bookdata.Measurement{}}
	var problems []error
	for _, patch := range patches {
		minor := version.Lang(patch)
		found, err := b.measure(ctx, patch, slices.DeleteFunc(slices.Clone(b.listings),
			func(s *subject) bool { return !s.manifest.On(minor) }))
		problems = append(problems, err)
		for s, m := range found {
			h.Set(s.name, minor, m)
		}
		if ctx.Err() != nil {
			return ctx.Err()
		}
	}
	table := tabwriter.NewWriter(to, 0, 0, 2, ' ', 0)
	for _, s := range b.listings {
		fmt.Fprintf(table, "%s\n", s.name)
		changes := h.Changes(s.name)
		for _, patch := range patches {
			m, ok := h.Listings[s.name][version.Lang(patch)]
			if !ok {
				continue
			}
			mark := ""
			if slices.Contains(changes, version.Lang(patch)) {
				mark = "changed"
			}
			for _, f := range m.Benchmarks {
				fmt.Fprintf(table, "  %s\t%s\t%v allocs/op\t%v B/op\t%s\n", m.Go, f.Name, f.AllocsPerOp, f.BytesPerOp,
					mark)
			}
		}
		if b.only == nil {
			problems = append(problems, h.Prove(s.name, s.manifest))
		}
	}
	return errors.Join(append(problems, table.Flush())...)
}
