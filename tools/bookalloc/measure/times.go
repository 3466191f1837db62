package measure

import (
	"bytes"
	"context"
	"fmt"
	"maps"
	"os"
	"slices"
	"time"

	"golang.org/x/perf/benchfmt"

	"onthestack/internal/bookdata"
	"onthestack/internal/why"
)

// times measures the times that are missing. Listings that a table compares are timed in one session, in turn, so that
// other work on the machine slows all of them alike.
func (m *Measurer) times(ctx context.Context, w Wanted, listings map[string]*bookdata.MeasuredListing) error {
	done := map[string]bool{}
	for _, name := range slices.Sorted(maps.Keys(listings)) {
		if done[name] {
			continue
		}
		var group []*bookdata.MeasuredListing
		for _, peer := range w.peers(name) {
			done[peer] = true
			group = append(group, listings[peer])
		}
		session := group[0].Timing.Session
		if session == "" || slices.ContainsFunc(group, func(l *bookdata.MeasuredListing) bool {
			return l.Timing.Session != session
		}) {
			if err := m.session(ctx, group); err != nil {
				return err
			}
		}
	}
	return nil
}

// session times a group of listings.
func (m *Measurer) session(ctx context.Context, group []*bookdata.MeasuredListing) error {
	m.Progress("times of %d listings, %d rounds", len(group), m.rounds)
	session := time.Now().UTC().Format(time.RFC3339)
	for _, l := range group {
		l.Timing = bookdata.Timing{Session: session, Samples: map[string][]float64{}}
	}
	dir, err := os.MkdirTemp("", "bookalloc-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	binaries := map[*bookdata.MeasuredListing]string{}
	for _, l := range group {
		if binaries[l], err = m.build(ctx, l.Listing, dir); err != nil {
			return err
		}
	}
	for range m.rounds {
		for _, l := range group {
			if err := m.sample(ctx, l, binaries[l]); err != nil {
				return err
			}
		}
	}
	for _, l := range group {
		setTimes(l)
	}
	return nil
}

// sample adds one sample of each benchmark.
func (m *Measurer) sample(ctx context.Context, l *bookdata.MeasuredListing, binary string) error {
	out, err := m.run(ctx, l.Listing, binary, "-test.run=^$", "-test.bench=.", "-test.benchtime="+m.benchTime)
	if err != nil {
		return err
	}
	reader := benchfmt.NewReader(bytes.NewReader(out), l.Listing)
	for reader.Scan() {
		r, ok := reader.Result().(*benchfmt.Result)
		if !ok {
			continue
		}
		// benchfmt normalizes ns/op to sec/op.
		sec, ok := r.Value("sec/op")
		if !ok {
			return fmt.Errorf("%s: a benchmark without ns/op:\n%s", l.Listing, out)
		}
		name := "Benchmark" + string(r.Name.Base())
		l.Timing.Samples[name] = append(l.Timing.Samples[name], significant(sec*1e9))
	}
	return reader.Err()
}

// significant rounds to four significant digits. Further digits are noise.
func significant(x float64) float64 { return why.Significant(x, 4) }

// setTimes sets the verdict's ns/op to the medians of the samples. The check itself timed one short run without garbage
// collection.
func setTimes(l *bookdata.MeasuredListing) {
	for i := range l.Verdict.Benchmarks {
		b := &l.Verdict.Benchmarks[i]
		if len(l.Timing.Samples[b.Name]) > 0 {
			b.NsPerOp = significant(l.Timing.Median(b.Name))
		}
	}
}
