package bookdata

import (
	"errors"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"
)

const grow = "a/listings/grow"

// measured returns a history of one listing, whose second benchmark changes on Go 1.9 and 1.12.
func measured() *History {
	h := &History{
		Releases: map[string]string{"go1.8": "go1.8.7", "go1.9": "go1.9.7", "go1.10": "go1.10.8",
			"go1.12": "go1.12.17"},
		Listings: map[string]map[string]Measurement{},
	}
	for release, bytes := range map[string]float64{"go1.8": 117.333, "go1.9": 53.333, "go1.10": 53.333,
		"go1.12": 53.25} {
		h.Set(grow, release, Measurement{Go: h.Releases[release], Platform: "linux/amd64", Source: "s",
			Benchmarks: []Benchmark{{"BenchmarkShort", 1, 5.333}, {"BenchmarkLong", 2, bytes}}})
	}
	return h
}

func TestHistoryChanges(t *testing.T) {
	h := measured()
	if got, want := h.Changes(grow), []string{"go1.9", "go1.12"}; !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
	if got, want := h.Names(), []string{"go1.8", "go1.9", "go1.10", "go1.12"}; !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
	if got := h.Before(grow, "go1.10"); got.Go != "go1.9.7" {
		t.Errorf("before 1.10: got %+v", got)
	}
	if got := h.Before(grow, "go1.8"); got.Go != "" {
		t.Errorf("before the oldest: got %+v", got)
	}
	if got, want := h.Benchmarks(grow), []string{"BenchmarkShort", "BenchmarkLong"}; !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
	if got := h.Benchmarks("x"); got != nil || h.Changes("x") != nil {
		t.Errorf("of an unknown listing: %v, %v", got, h.Changes("x"))
	}
}

func TestHistoryFigure(t *testing.T) {
	h := measured()
	if got, _, err := h.Figure(grow, "go1.8", "BenchmarkLong"); err != nil || got.BytesPerOp != 117.333 {
		t.Errorf("got %+v, error %v", got, err)
	}
	for _, test := range []struct{ listing, release, benchmark, want string }{
		{"x", "go1.8", "", `x is not in measured/history.json: run "make history"`},
		{grow, "go1.4", "", grow + " is not measured on go1.4: it is on go1.8, go1.9, go1.10, go1.12"},
		{grow, "go1.8", "", grow + ": name one of its benchmarks: BenchmarkShort, BenchmarkLong"},
		{grow, "go1.8", "BenchmarkX", grow + ": no BenchmarkX: its benchmarks are BenchmarkShort, BenchmarkLong"},
	} {
		if _, _, err := h.Figure(test.listing, test.release, test.benchmark); err == nil || err.Error() != test.want {
			t.Errorf("%v: got %v", test, err)
		}
	}
}

func TestWriteAndReadHistory(t *testing.T) {
	dir := t.TempDir()
	if h, err := ReadHistory(os.DirFS(dir)); err != nil || len(h.Listings) != 0 {
		t.Errorf("without a file: got %+v, error %v", h, err)
	}
	h := measured()
	if err := h.Write(dir); err != nil {
		t.Fatal(err)
	}
	again, err := ReadHistory(os.DirFS(dir))
	if err != nil || !reflect.DeepEqual(h, again) {
		t.Errorf("got  %+v, error %v\nwant %+v", again, err, h)
	}
	name := filepath.Join(dir, filepath.FromSlash(HistoryFile))
	text, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(string(text), `{"go":["go1.9.7","go1.10.8"],"platform":"linux/amd64",`) ||
		strings.Count(string(text), "\n") != 10 {
		t.Errorf("want a line for the measurements with the same figures, the oldest first:\n%s", text)
	}

	// An unchanged history is not written again, because a server watches the file.
	long := time.Now().Add(-time.Hour).Truncate(time.Second)
	if err := os.Chtimes(name, long, long); err != nil {
		t.Fatal(err)
	}
	if err := h.Write(dir); err != nil {
		t.Fatal(err)
	}
	if info, err := os.Stat(name); err != nil || !info.ModTime().Equal(long) {
		t.Errorf("the same was written again, error %v", err)
	}
	if err := os.WriteFile(name, []byte("{"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := ReadHistory(os.DirFS(dir)); err == nil ||
		!strings.HasSuffix(err.Error(), `: remove it and run "make history"`) {
		t.Errorf("a broken file: got %v", err)
	}
}

func TestProve(t *testing.T) {
	honest := func() *Manifest {
		return &Manifest{
			Title: "x",
			Articles: []Article{{Release: "go1.8", Benchmark: "BenchmarkLong", Allocs: 2, Bytes: bytesPerOp(117),
				Line: 3}},
			Changes: []Change{{Release: "go1.9", Line: 8}, {Release: "go1.12", Line: 12}},
		}
	}
	const at = grow + "/listing.toml"
	for _, test := range []struct {
		name   string
		change func(*History, *Manifest)
		want   string
	}{
		{"honest", func(*History, *Manifest) {}, ""},
		{"not measured", func(h *History, m *Manifest) { delete(h.Listings, grow) },
			grow + ` is not in measured/history.json: run "make history"`},
		{"a release is missing", func(h *History, m *Manifest) { delete(h.Listings[grow], "go1.10") },
			at + `: not measured on go1.10: run "make history", or set since to the first release that can build it`},
		{"since", func(h *History, m *Manifest) {
			m.Since, m.Articles, m.Changes = "go1.9", nil, m.Changes[1:]
			delete(h.Listings[grow], "go1.8")
		}, ""},
		{"since, but measured", func(h *History, m *Manifest) { m.Since = "go1.9" },
			at + `: measured on go1.8, although since is go1.9: run "make history"`},
		{"other files", func(h *History, m *Manifest) {
			old := h.Listings[grow]["go1.8"]
			old.Source = "other"
			h.Set(grow, "go1.8", old)
		}, at + `: not measured with the same files on all releases: run "make history"`},
		{"other allocs", func(h *History, m *Manifest) { m.Articles[0].Allocs = 1 },
			at + ":3: [[article]] go1.8 BenchmarkLong: measured 2 allocs/op, not 1: a listing has to reproduce the " +
				"article's"},
		{"other bytes", func(h *History, m *Manifest) { m.Articles[0].Bytes = bytesPerOp(112) },
			at + ":3: [[article]] go1.8 BenchmarkLong: measured 117.333 B/op, not 112: a listing has to " +
				"reproduce the article's"},
		{"no bytes", func(h *History, m *Manifest) { m.Articles[0].Bytes = nil }, ""},
		{"which benchmark", func(h *History, m *Manifest) { m.Articles[0].Benchmark = "" },
			at + ":3: [[article]] go1.8: " + grow + ": name one of its benchmarks: BenchmarkShort, BenchmarkLong"},
		{"a change that is none", func(h *History, m *Manifest) { m.Changes[0] = Change{Release: "go1.10"} },
			at + ": [[change]] go1.10: nothing changed on that release: remove it\n" +
				at + ": go1.9 changed its figures (see measured/history.json): add a [[change]] that says why"},
		{"a change too many", func(h *History, m *Manifest) {
			m.Changes = append(m.Changes, Change{Release: "go1.27", Line: 16})
		}, at + ":16: [[change]] go1.27: nothing changed on that release: remove it"},
	} {
		h, m := measured(), honest()
		test.change(h, m)
		got := ""
		if err := errors.Join(h.Prove(grow, m)...); err != nil {
			got = err.Error()
		}
		if got != test.want {
			t.Errorf("%s:\ngot  %s\nwant %s", test.name, got, test.want)
		}
	}
}

func bytesPerOp(n float64) *float64 { return &n }
