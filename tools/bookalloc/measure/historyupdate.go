package measure

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
func (h *History) releases(ctx context.Context) ([]string, error) {
	all, err := build.Releases(ctx)
	return slices.DeleteFunc(all, func(patch string) bool {
		minor := version.Lang(patch)
		return version.Compare(minor, oldest) < 0 || !h.wants(minor)
	}), err
}

// Update measures what the history lacks, one release after the other, and writes the history after each release. all
// means that h.listings are all listings of the book: measurements of others are then removed.
func (h *History) Update(ctx context.Context, all bool) error {
	patches, err := h.releases(ctx)
	if err != nil {
		return err
	}
	if all {
		h.prune()
	}
	var problems []error
	for _, patch := range patches {
		minor := version.Lang(patch)
		missing := slices.DeleteFunc(slices.Clone(h.listings), func(s *subject) bool {
			old, ok := h.stored.Listings[s.name][minor]
			return !s.manifest.On(minor) || ok && old.Source == s.part.Source() && old.Go == patch
		})
		if len(missing) == 0 {
			continue
		}
		found, err := h.measure(ctx, patch, missing)
		var gone *unavailable
		switch {
		case errors.As(err, &gone):
			h.Progress.Print("%s: not measured: %v", patch, gone)
			err = nil
		case len(found) > 0:
			h.stored.Releases[minor] = patch
		}
		for s, m := range found {
			h.stored.Set(s.name, minor, m)
		}
		if err := errors.Join(ctx.Err(), h.stored.Write(h.dir)); err != nil {
			return err
		}
		problems = append(problems, err)
	}
	if err := errors.Join(problems...); err != nil {
		return err
	}
	if err := h.stored.Write(h.dir); err != nil {
		return err
	}
	h.Progress.Print("%d listings on %d releases: %s/%s", len(h.listings), len(h.stored.Releases), h.book,
		bookdata.HistoryFile)
	if h.Only != nil {
		return nil // with some releases only, prove would report the others as missing
	}
	return h.prove()
}

// prune removes listings that the book no longer has, and releases on which their manifests exclude them.
func (h *History) prune() {
	for name, releases := range h.stored.Listings {
		i := slices.IndexFunc(h.listings, func(s *subject) bool { return s.name == name })
		if i < 0 {
			delete(h.stored.Listings, name)
			continue
		}
		for minor := range releases {
			if !h.listings[i].manifest.On(minor) {
				delete(releases, minor)
			}
		}
	}
}

// prove compares every listing's manifest with the history.
func (h *History) prove() error {
	var problems []error
	for _, s := range h.listings {
		problems = append(problems, h.stored.Prove(s.name, s.manifest))
	}
	return errors.Join(problems...)
}

// Print measures the listings and prints the figures of each benchmark, with a row for each release.
func (h *History) Print(ctx context.Context, to io.Writer) error {
	patches, err := h.releases(ctx)
	if err != nil {
		return err
	}
	past := &bookdata.History{Listings: map[string]map[string]bookdata.Measurement{}}
	var problems []error
	for _, patch := range patches {
		minor := version.Lang(patch)
		found, err := h.measure(ctx, patch, slices.DeleteFunc(slices.Clone(h.listings),
			func(s *subject) bool { return !s.manifest.On(minor) }))
		problems = append(problems, err)
		for s, m := range found {
			past.Set(s.name, minor, m)
		}
		if ctx.Err() != nil {
			return ctx.Err()
		}
	}
	table := tabwriter.NewWriter(to, 0, 0, 2, ' ', 0)
	for _, s := range h.listings {
		fmt.Fprintf(table, "%s\n", s.name)
		changes := past.Changes(s.name)
		for _, patch := range patches {
			m, ok := past.Listings[s.name][version.Lang(patch)]
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
		if h.Only == nil {
			problems = append(problems, past.Prove(s.name, s.manifest))
		}
	}
	return errors.Join(append(problems, table.Flush())...)
}
