package site

import (
	"math"
	"reflect"
	"strings"
	"testing"

	"onthestack/internal/bookdata"
)

// past returns the history of a listing with two benchmarks: Long on all releases, Short since Go 1.9. On Go 1.10 it is
// not measured.
func past() *bookdata.History {
	h := &bookdata.History{
		Releases: map[string]string{"go1.8": "go1.8.7", "go1.9": "go1.9.7", "go1.10": "go1.10.8",
			"go1.11": "go1.11.13", "go1.12": "go1.12.17"},
		Listings: map[string]map[string]bookdata.Measurement{},
	}
	set := func(release string, benchmarks ...bookdata.Benchmark) {
		h.Set("l", release, bookdata.Measurement{Go: h.Releases[release], Platform: "linux/amd64",
			Benchmarks: benchmarks})
	}
	long := func(allocs, bytes float64) bookdata.Benchmark {
		return bookdata.Benchmark{Name: "BenchmarkLong", AllocsPerOp: allocs, BytesPerOp: bytes}
	}
	short := bookdata.Benchmark{Name: "BenchmarkShort", AllocsPerOp: 0, BytesPerOp: math.Copysign(0, -1)}
	set("go1.8", long(9, 117.3))
	set("go1.9", short, long(9, 117.4))
	set("go1.11", short, long(9, 117.4))
	set("go1.12", short, long(1, 16))
	return h
}

func TestBenchmarks(t *testing.T) {
	h := past()
	releases := releases(h)
	bytes := 117.0
	m := &bookdata.Manifest{
		Articles: []bookdata.Article{
			{Release: "go1.9", Benchmark: "BenchmarkLong", Allocs: 9, Bytes: &bytes},
		},
	}
	all, platform, err := benchmarks(h, "l", m, releases)
	if err != nil || platform != "linux/amd64" || len(all) != 2 {
		t.Fatalf("got %v on %q, %v", all, platform, err)
	}

	short, long := all[0], all[1]
	if short.Title != "short" || short.Allocs.Story != "0 on Go 1.9, 0 since Go 1.11" ||
		short.Bytes.Story != "0 on Go 1.9, 0 since Go 1.11" || short.Bytes.Most != 0 {
		t.Errorf("got %+v", short)
	}
	for _, f := range short.Figures {
		if f.BytesText != "0" || f.Changed != "" || f.Heat != 0 || f.Article {
			t.Errorf("got %+v", f)
		}
	}
	if want := []Run{{0, 1, 9, "9", 4}, {3, 3, 9, "9", 4}, {4, 4, 1, "1", 1}}; !reflect.DeepEqual(long.Allocs.Runs,
		want) {
		t.Errorf("got %v, want %v: a run must not cover a release without a measurement", long.Allocs.Runs, want)
	}
	if got, want := long.Allocs.Story, "9 on Go 1.8 to 1.9, 9 on Go 1.11, 1 since Go 1.12"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	if got, want := long.Bytes.Story, "117.3 on Go 1.8, 117.4 on Go 1.9, 117.4 on Go 1.11, 16 since Go "+
		"1.12"; got != want {
		t.Errorf("got %q, want %q: different figures must not look the same", got, want)
	}
	var changed []string
	for _, f := range long.Figures {
		changed = append(changed, f.Release+" "+f.Changed)
		if f.Article != (f.Release == "go1.9") {
			t.Errorf("%s: the article's release: %v", f.Release, f.Article)
		}
	}
	if want := []string{"go1.8 ", "go1.9 bytes", "go1.11 ", "go1.12 changed"}; !reflect.DeepEqual(changed, want) {
		t.Errorf("got %q, want %q", changed, want)
	}
	if want := []ArticleFigure{{"go1.9", 1, 9, "9", &bytes, "117"}}; !reflect.DeepEqual(
		long.Articles, want) {
		t.Errorf("got %+v, want %+v", long.Articles, want)
	}

	m.Articles[0].Release = "go1.3"
	if _, _, err := benchmarks(h, "l", m, releases); err == nil || !strings.Contains(err.Error(),
		"l/listing.toml: the article's release go1.3") {
		t.Errorf("got %v, want an error that names the release", err)
	}
}

func TestReleases(t *testing.T) {
	want := []Release{
		{"go1.8", "1.8", "2017-02-16", "go1.8.7"}, {"go1.9", "1.9", "2017-08-24", "go1.9.7"},
		{"go1.10", "1.10", "2018-02-16", "go1.10.8"}, {"go1.11", "1.11", "2018-08-24", "go1.11.13"},
		{"go1.12", "1.12", "2019-02-25", "go1.12.17"},
	}
	if got := releases(past()); !reflect.DeepEqual(got, want) {
		t.Errorf("got %v", got)
	}
}

func TestEveryRelease(t *testing.T) {
	h := past()
	delete(h.Releases, "go1.10")
	all, _, err := benchmarks(h, "l", &bookdata.Manifest{}, releases(h))
	if err != nil || all[0].Allocs.Story != "0 since Go 1.9" {
		t.Errorf("got %+v, %v", all, err)
	}
	for release, m := range h.Listings["l"] {
		m.Benchmarks = []bookdata.Benchmark{{Name: "BenchmarkOne", AllocsPerOp: 2, BytesPerOp: 5.3}}
		h.Set("l", release, m)
	}
	all, _, err = benchmarks(h, "l", &bookdata.Manifest{}, releases(h))
	if err != nil || all[0].Allocs.Story != "2 on every release" || all[0].Bytes.Story != "5 on every release" {
		t.Errorf("got %+v, %v", all, err)
	}
}
