package site

import (
	"fmt"
	"slices"
	"strings"

	"onthestack/internal/bookdata"
	"onthestack/internal/verdict"
	"onthestack/tools/bookalloc/expand"
)

// A Benchmark is a benchmark with its figures by release, oldest first. Releases that cannot build the listing are left
// out.
type Benchmark struct {
	Name     string          `json:"name"`  // "BenchmarkFive"
	Title    string          `json:"title"` // "five"
	Figures  []Figure        `json:"figures"`
	Allocs   Series          `json:"allocs"`
	Bytes    Series          `json:"bytes"`
	Articles []ArticleFigure `json:"articles"`
}

// A Figure has the figures of a benchmark on one release.
type Figure struct {
	Release    string  `json:"release"`
	Go         string  `json:"go"`
	Allocs     float64 `json:"allocs"` // allocs/op
	AllocsText string  `json:"allocs_text"`
	Bytes      float64 `json:"bytes"` // B/op
	BytesText  string  `json:"bytes_text"`
	Heat       int     `json:"heat"` // of the cell: see expand.Heat
	// the change from the release before: "changed", "bytes" if allocs/op are the same, "" for none
	Changed string `json:"changed"`
	Article bool   `json:"article"` // an article measured the same on this release
}

// A Series is one of a benchmark's two figures, allocs/op or B/op, over all releases.
type Series struct {
	Runs  []Run   `json:"runs"`
	Most  float64 `json:"most"`
	Story string  `json:"story"` // "2 on Go 1.4 to 1.11, 1 since Go 1.12"
}

// A Run is a range of consecutive releases with the same figure.
type Run struct {
	First int     `json:"first"` // index of its first release, from 0
	Last  int     `json:"last"`
	Value float64 `json:"value"`
	Text  string  `json:"text"`
	Heat  int     `json:"heat"`
}

// An ArticleFigure is a figure that an article measured.
type ArticleFigure struct {
	Release    string   `json:"release"`
	Place      int      `json:"place"` // index of the release, from 0
	Allocs     float64  `json:"allocs"`
	AllocsText string   `json:"allocs_text"`
	Bytes      *float64 `json:"bytes"` // null if the article gives none
	BytesText  string   `json:"bytes_text"`
}

// benchmarks returns a listing's benchmarks and the platform they ran on.
func benchmarks(
	h *bookdata.History,
	name string,
	m *bookdata.Manifest,
	releases []Release,
) (all []Benchmark, platform string, err error) {
	names := h.Benchmarks(name)
	for _, benchmark := range names {
		b := Benchmark{Name: benchmark, Title: bookdata.BenchmarkWords(benchmark)}
		var places []int
		for place, release := range releases {
			measured, ok := h.Listings[name][release.Name]
			if !ok {
				continue
			}
			platform = measured.Platform
			figure, err := measured.Benchmark(benchmark)
			if err != nil { // the release may be older than the benchmark
				continue
			}
			// Adding 0 turns -0, to which a measured difference may be rounded, into 0.
			b.Figures = append(b.Figures, Figure{
				Release: release.Name, Go: measured.Go,
				Allocs: figure.AllocsPerOp + 0, Bytes: figure.BytesPerOp + 0, Heat: expand.Heat(figure.AllocsPerOp),
			})
			places = append(places, place)
		}
		for _, a := range m.Articles {
			if !a.About(benchmark, len(names) == 1) {
				continue
			}
			figure := ArticleFigure{
				Release: a.Release, Place: slices.IndexFunc(releases,
					func(r Release) bool { return r.Name == a.Release }),
				Allocs: a.Allocs, AllocsText: verdict.FormatCount(a.Allocs), Bytes: a.Bytes,
			}
			if figure.Place < 0 {
				return nil, "", fmt.Errorf("%s/%s: the article's release %s is not in %s: run %q", name,
					bookdata.ManifestFile, a.Release, bookdata.HistoryFile, bookdata.HistoryCommand)
			}
			if a.Bytes != nil {
				figure.BytesText = verdict.FormatBytes(*a.Bytes)
			}
			b.Articles = append(b.Articles, figure)
		}
		b.tell(places, releases)
		all = append(all, b)
	}
	return all, platform, nil
}

// tell fills in everything that follows from the figures. places are the indices of their releases.
func (b *Benchmark) tell(places []int, releases []Release) {
	var counts, sizes []float64
	for _, f := range b.Figures {
		counts, sizes = append(counts, f.Allocs), append(sizes, f.Bytes)
	}
	allocs, bytes := expand.Telling(verdict.FormatCount, counts...), expand.Telling(verdict.FormatBytes, sizes...)
	for i := range b.Figures {
		f := &b.Figures[i]
		f.AllocsText, f.BytesText = allocs(f.Allocs), bytes(f.Bytes)
		switch {
		case i > 0 && f.Allocs != b.Figures[i-1].Allocs:
			f.Changed = "changed"
		case i > 0 && f.Bytes != b.Figures[i-1].Bytes:
			f.Changed = "bytes"
		}
		f.Article = slices.ContainsFunc(b.Articles, func(a ArticleFigure) bool { return a.Release == f.Release })
		b.Allocs.add(places[i], f.Allocs, f.AllocsText)
		b.Bytes.add(places[i], f.Bytes, f.BytesText)
	}
	b.Allocs.tell(releases)
	b.Bytes.tell(releases)
}

func (s *Series) add(place int, value float64, text string) {
	s.Most = max(s.Most, value)
	if n := len(s.Runs); n > 0 && s.Runs[n-1].Value == value && s.Runs[n-1].Last == place-1 {
		s.Runs[n-1].Last = place
		return
	}
	s.Runs = append(s.Runs, Run{place, place, value, text, expand.Heat(value)})
}

// tell sets the Story of the series.
func (s *Series) tell(releases []Release) {
	newest := len(releases) - 1
	var parts []string
	for _, r := range s.Runs {
		first, last := expand.Release(releases[r.First].Name), strings.TrimPrefix(releases[r.Last].Name, "go")
		on := "on " + first + " to " + last
		switch {
		case r.First == 0 && r.Last == newest:
			on = "on every release"
		case r.Last == newest:
			on = "since " + first
		case r.First == r.Last:
			on = "on " + first
		}
		parts = append(parts, r.Text+" "+on)
	}
	s.Story = strings.Join(parts, ", ")
}
