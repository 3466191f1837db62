package bookdata

import (
	"fmt"
	"math"
	"path"
	"slices"
)

// Prove checks a listing's manifest against the measurements. It requires that the listing is measured on every release
// that can build it, from the same files; that it reproduces the article's figures; and that the manifest lists exactly
// the changes that were measured. Each violation begins with the path of the manifest in the book's folder and, if
// known, the line.
func (h *History) Prove(name string, m *Manifest) (problems []error) {
	if _, ok := h.Listings[name]; !ok {
		return []error{fmt.Errorf("%s is not in %s: run %q", name, HistoryFile, HistoryCommand)}
	}
	problem := func(line int, format string, args ...any) {
		at := path.Join(name, ManifestFile)
		if line > 0 {
			at = fmt.Sprintf("%s:%d", at, line)
		}
		problems = append(problems, fmt.Errorf("%s: %s", at, fmt.Sprintf(format, args...)))
	}
	sources := map[string]bool{}
	for _, m := range h.Listings[name] {
		sources[m.Source] = true
	}
	if len(sources) > 1 {
		problem(0, "not measured with the same files on all releases: run %q", HistoryCommand)
	}
	for _, release := range h.Names() {
		switch _, ok := h.Listings[name][release]; {
		case !ok && m.On(release):
			problem(0, "not measured on %s: run %q, or set since to the first release that can build it", release,
				HistoryCommand)
		case ok && !m.On(release):
			problem(0, "measured on %s, although since is %s: run %q", release, m.Since, HistoryCommand)
		}
	}
	for _, a := range m.Articles {
		entry := "[[article]] " + a.Release
		if a.Benchmark != "" {
			entry += " " + a.Benchmark
		}
		measured, _, err := h.Figure(name, a.Release, a.Benchmark)
		switch {
		case err != nil:
			problem(a.Line, "%s: %v", entry, err)
		case math.Trunc(measured.AllocsPerOp) != a.Allocs:
			problem(a.Line, "%s: measured %v allocs/op, not %v: a listing has to reproduce the article's", entry,
				measured.AllocsPerOp, a.Allocs)
		case a.Bytes != nil && math.Trunc(measured.BytesPerOp) != *a.Bytes:
			problem(a.Line, "%s: measured %v B/op, not %v: a listing has to reproduce the article's", entry,
				measured.BytesPerOp, *a.Bytes)
		}
	}
	measured := h.Changes(name)
	for _, c := range m.Changes {
		if !slices.Contains(measured, c.Release) {
			problem(c.Line, "[[change]] %s: nothing changed on that release: remove it", c.Release)
		}
	}
	for _, release := range measured {
		if !slices.ContainsFunc(m.Changes, func(c Change) bool { return c.Release == release }) {
			problem(0, "%s changed its figures (see %s): add a [[change]] that says why", release, HistoryFile)
		}
	}
	return problems
}

// CheckSource returns an error unless the listing's MeasuredPart, identified by source, is what was measured on all
// releases. It names the oldest release on which it is not.
func (h *History) CheckSource(listing, source string) error {
	for _, release := range h.measured(listing) {
		if h.Listings[listing][release].Source != source {
			return fmt.Errorf("%s: %s has changed since it was measured on %s: run %q", HistoryFile, listing, release,
				HistoryCommand)
		}
	}
	return nil
}

// Figure returns the figures of a listing's benchmark on a release, and the measurement that has them. The benchmark
// may be "" if there is only one.
func (h *History) Figure(listing, release, benchmark string) (b Benchmark, m Measurement, err error) {
	if m, err = h.Of(listing, release); err != nil {
		return b, m, err
	}
	if b, err = m.Benchmark(benchmark); err != nil {
		err = fmt.Errorf("%s: %w", listing, err)
	}
	return b, m, err
}
