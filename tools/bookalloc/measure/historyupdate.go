package measure

import (
	"context"
	"errors"
	"fmt"
	"go/version"
	"io"
	"maps"
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

// fill measures the wanted listings on each release that can build them, one release after the other, and adds the
// measurements to a history, which save stores after each release.
func (h *History) fill(
	ctx context.Context, to *bookdata.History, wanted func(s *subject, patch string) bool, save func() error,
) error {
	patches, err := h.releases(ctx)
	if err != nil {
		return err
	}
	var problems []error
	for _, patch := range patches {
		minor := version.Lang(patch)
		found, err := h.measure(ctx, patch, slices.DeleteFunc(slices.Clone(h.listings), func(s *subject) bool {
			return !s.manifest.On(minor) || !wanted(s, patch)
		}))
		if gone, ok := errors.AsType[*unavailable](err); ok {
			h.Progress.Print("%s: not measured: %v", patch, gone)
			err = nil
		}
		problems = append(problems, err)
		for s, m := range found {
			to.Set(s.name, minor, m)
		}
		if err := errors.Join(ctx.Err(), save()); err != nil {
			return err
		}
	}
	return errors.Join(problems...)
}

// Update measures what the history lacks, and writes it. all means that h.listings are all listings of the book:
// measurements of others are then removed.
func (h *History) Update(ctx context.Context, all bool) error {
	if all {
		h.prune()
	}
	lacks := func(s *subject, patch string) bool {
		old := h.stored.Listings[s.name][version.Lang(patch)]
		return old.Source != s.part.Source() || old.Go != patch
	}
	if err := h.fill(ctx, h.stored, lacks, func() error { return h.stored.Write(h.dir) }); err != nil {
		return err
	}
	h.Progress.Print("%d listings on %d releases: %s/%s", len(h.listings), len(h.stored.Releases), h.book,
		bookdata.HistoryFile)
	if h.Only != nil {
		return nil // with some releases only, Prove would report the others as missing
	}
	var problems []error
	for _, s := range h.listings {
		problems = append(problems, h.stored.Prove(s.name, s.manifest)...)
	}
	return errors.Join(problems...)
}

// prune removes listings that the book no longer has, and releases on which their manifests exclude them.
func (h *History) prune() {
	maps.DeleteFunc(h.stored.Listings, func(name string, releases map[string]bookdata.Measurement) bool {
		i := slices.IndexFunc(h.listings, func(s *subject) bool { return s.name == name })
		if i >= 0 {
			maps.DeleteFunc(releases, func(minor string, _ bookdata.Measurement) bool {
				return !h.listings[i].manifest.On(minor)
			})
		}
		return i < 0
	})
}

// Print measures the listings and prints the figures of each benchmark, with a row for each release.
func (h *History) Print(ctx context.Context, to io.Writer) error {
	past := bookdata.NewHistory()
	err := h.fill(ctx, past, func(*subject, string) bool { return true }, func() error { return nil })
	if ctx.Err() != nil {
		return ctx.Err()
	}
	problems := []error{err}
	table := tabwriter.NewWriter(to, 0, 0, 2, ' ', 0)
	for _, s := range h.listings {
		fmt.Fprintf(table, "%s\n", s.name)
		changes := past.Changes(s.name)
		for _, release := range past.Names() {
			mark := ""
			if slices.Contains(changes, release) {
				mark = "changed"
			}
			m := past.Listings[s.name][release]
			for _, f := range m.Benchmarks {
				fmt.Fprintf(table, "  %s\t%s\t%v allocs/op\t%v B/op\t%s\n", m.Go, f.Name, f.AllocsPerOp, f.BytesPerOp,
					mark)
			}
		}
		if h.Only == nil {
			problems = append(problems, past.Prove(s.name, s.manifest)...)
		}
	}
	return errors.Join(append(problems, table.Flush())...)
}
