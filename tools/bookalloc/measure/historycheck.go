package measure

import (
	"context"
	"errors"
	"fmt"
	"go/version"
	"maps"
	"slices"

	"onthestack/internal/bookdata"
)

// Check measures every listing again on the oldest release that can build it, on the releases of its articles and on
// the newest, and compares the results with the history exactly. A release that cannot be downloaded is reported and
// skipped. Whether the history is complete and of the listings as they are is checked by expand.Book.Check, which
// measures nothing.
func (h *History) Check(ctx context.Context) error {
	var problems []error
	problem := func(format string, args ...any) {
		problems = append(problems, fmt.Errorf("%s/%s: %s: run %q", h.book, bookdata.HistoryFile,
			fmt.Sprintf(format, args...), bookdata.HistoryCommand))
	}
	again := map[string][]*subject{} // by minor release
	for _, s := range h.listings {
		measured := h.stored.Listings[s.name]
		names := slices.SortedFunc(maps.Keys(measured), version.Compare)
		if len(names) == 0 || h.Sample != nil && !h.Sample[s.name] {
			continue
		}
		ends := map[string]bool{names[0]: true, names[len(names)-1]: true}
		for _, a := range s.manifest.Articles {
			if slices.Contains(names, a.Release) {
				ends[a.Release] = true
			}
		}
		for minor := range ends {
			if h.wants(minor) {
				again[minor] = append(again[minor], s)
			}
		}
	}

	passedOver := 0
	for _, minor := range slices.SortedFunc(maps.Keys(again), version.Compare) {
		found, err := h.measure(ctx, h.stored.Releases[minor], again[minor])
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if gone, ok := errors.AsType[*unavailable](err); ok {
			h.Progress.Print("%s: not measured again: %v", minor, gone)
			passedOver++
			continue
		}
		problems = append(problems, err)
		for s, m := range found {
			stored := h.stored.Listings[s.name][minor]
			if !slices.EqualFunc(m.Benchmarks, stored.Benchmarks, func(a, b bookdata.Benchmark) bool {
				return a.Name == b.Name && same(b.AllocsPerOp, a.AllocsPerOp) && same(b.BytesPerOp, a.BytesPerOp)
			}) {
				problem("%s on %s: stored %v, measured %v", s.name, m.Go, stored.Benchmarks, m.Benchmarks)
			}
		}
	}
	if err := errors.Join(problems...); err != nil {
		return err
	}
	measured := len(h.listings)
	if h.Sample != nil {
		measured = len(h.Sample)
	}
	h.Progress.Print("%d listings measured again on %d releases: the same", measured, len(again)-passedOver)
	return nil
}
