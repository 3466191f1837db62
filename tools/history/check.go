package main

import (
	"context"
	"errors"
	"fmt"
	"go/version"
	"maps"
	"slices"

	"onthestack/internal/bookdata"
)

// check measures every listing again on the oldest release that can build it, on the releases of its articles and on
// the newest, and compares the results with the history exactly. It also proves that the history is complete, for all
// listings even if only a sample is measured. A release that cannot be downloaded is reported and skipped.
func (b *book) check(ctx context.Context) error {
	var problems []error
	problem := func(format string, args ...any) {
		problems = append(
			problems,
			fmt.Errorf("book/%s: %s: run %q", bookdata.HistoryFile, fmt.Sprintf(format, args...),
				bookdata.HistoryCommand),
		)
	}
	again := map[string][]*subject{} // by minor release
	for _, s := range b.listings {
		measured := b.history.Listings[s.name]
		names := slices.SortedFunc(maps.Keys(measured), version.Compare)
		if err := b.history.CheckSource(s.name, s.part.Source()); err != nil {
			problems = append(problems, fmt.Errorf("book/%w", err))
			continue
		}
		if len(names) == 0 {
			continue // prove reports it
		}
		ends := map[string]bool{names[0]: true, names[len(names)-1]: true}
		for _, a := range s.manifest.Articles {
			if slices.Contains(names, a.Release) { // prove reports the missing ones
				ends[a.Release] = true
			}
		}
		for minor := range ends {
			if b.wants(minor) && (b.sample == nil || b.sample[s.name]) {
				again[minor] = append(again[minor], s)
			}
		}
	}
	problems = append(problems, b.prove())

	passedOver := 0
	for _, minor := range slices.SortedFunc(maps.Keys(again), version.Compare) {
		found, err := b.measure(ctx, b.history.Releases[minor], again[minor])
		if ctx.Err() != nil {
			return ctx.Err()
		}
		var gone *unavailable
		if errors.As(err, &gone) {
			b.progress.Print("%s: not measured again: %v", minor, gone)
			passedOver++
			continue
		}
		problems = append(problems, err)
		for s, m := range found {
			stored := b.history.Listings[s.name][minor]
			if !slices.Equal(m.Benchmarks, stored.Benchmarks) {
				problem("%s on %s: stored %v, measured %v", s.name, m.Go, stored.Benchmarks, m.Benchmarks)
			}
		}
	}
	if err := errors.Join(problems...); err != nil {
		return err
	}
	measured := len(b.listings)
	if b.sample != nil {
		measured = len(b.sample)
	}
	b.progress.Print("%d listings measured again on %d releases: the same", measured, len(again)-passedOver)
	return nil
}
