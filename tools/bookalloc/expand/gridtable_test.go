package expand

import (
	"encoding/xml"
	"errors"
	"io"
	"strings"
	"testing"

	"onthestack/internal/bookdata"
)

// past returns the history of a listing with three benchmarks. On Go 1.9 two of them change alike and one differently,
// on Go 1.10 all change alike, and on Go 1.12 one changes by a fraction.
func past() *bookdata.History {
	h := &bookdata.History{
		Releases: map[string]string{"go1.8": "go1.8.7", "go1.9": "go1.9.7", "go1.10": "go1.10.8",
			"go1.12": "go1.12.17"},
		Listings: map[string]map[string]bookdata.Measurement{},
	}
	for release, figures := range map[string][3][2]float64{
		"go1.8":  {{2, 64}, {2, 64}, {9, 117.333}},
		"go1.9":  {{1, 32}, {1, 32}, {9, 53.333}},
		"go1.10": {{1, 16}, {1, 16}, {1, 16}},
		"go1.12": {{1, 16}, {1, 16.25}, {1, 16}},
	} {
		m := bookdata.Measurement{Go: h.Releases[release], Platform: "linux/amd64"}
		for i, name := range []string{"BenchmarkShort", "BenchmarkTwoWords", "BenchmarkLong"} {
			m.Benchmarks = append(
				m.Benchmarks,
				bookdata.Benchmark{Name: name, AllocsPerOp: figures[i][0], BytesPerOp: figures[i][1]},
			)
		}
		h.Set("several", release, m)
		m.Benchmarks = []bookdata.Benchmark{{Name: "BenchmarkX", AllocsPerOp: 0.5, BytesPerOp: 8}}
		h.Set("same", release, m)
		if release == "go1.12" {
			h.Set("young", release, m)
		}
	}
	return h
}

func several() Listed {
	return Listed{Name: "several", Href: "s.html?a&b", Manifest: &bookdata.Manifest{
		Title:    "a <b>",
		Articles: []bookdata.Article{{Release: "go1.9", Benchmark: "BenchmarkTwoWords"}},
		Changes: []bookdata.Change{
			{Release: "go1.9", Why: "Since `a < b`,\n\nit is less.", Link: "https://go.dev/cl/133715"},
			{Release: "go1.10", Why: "Why.", Link: "https://go.dev/doc/go1.10#x"},
		},
	}}
}

func gridHTML(t *testing.T, h *bookdata.History, chapters []gridChapter) string {
	t.Helper()
	text, err := block("grid", grid{h, chapters})
	if err != nil {
		t.Fatal(err)
	}
	return text
}

func TestGrid(t *testing.T) {
	got := gridHTML(t, past(), []gridChapter{
		{Title: "One & only", Href: "one/index.html", Listings: []Listed{several()}},
		{Listings: []Listed{
			{Name: "same", Manifest: &bookdata.Manifest{Title: "same"}},
			{Name: "young", Manifest: &bookdata.Manifest{Title: "young", Since: "go1.12", SinceWhy: "`x`\ncame late."}},
		}},
	})
	for _, want := range []string{
		"<caption>allocs/op on each Go release; the release of the article is outlined</caption>\n",
		`<th scope="col">Listing</th><th scope="col"><abbr title="Go 1.8.7">1.8</abbr></th>` +
			`<th scope="col"><abbr title="Go 1.9.7">1.9</abbr></th>` +
			`<th scope="col"><abbr title="Go 1.10.8">1.10</abbr></th>` +
			`<th scope="col"><abbr title="Go 1.12.17">1.12</abbr></th></tr></thead>`,
		`<tbody class="ots-chapter"><tr><th scope="colgroup" colspan="5"><a href="one/index.html">One &amp; ` +
			`only</a></th></tr></tbody>` + "\n<tbody>\n",
		`<tr><th scope="row"><a href="s.html?a&amp;b">a &lt;b&gt;</a>, short</th>` +
			`<td class="ots-heat-2" title="Go 1.8.7: 2 allocs/op, 64 B/op">2</td>` +
			`<td class="ots-heat-1 is-change" title="Go 1.9.7: 1 alloc/op, 32 B/op">1</td>` +
			`<td class="ots-heat-1 is-change" title="Go 1.10.8: 1 alloc/op, 16 B/op">1</td>` +
			`<td class="ots-heat-1" title="Go 1.12.17: 1 alloc/op, 16 B/op">1</td></tr>`,
		`<tr><th scope="row">a &lt;b&gt;, two words</th>`,
		`<td class="ots-heat-1 is-change is-article" title="Go 1.9.7: 1 alloc/op, 32 B/op">1` +
			`<span class="ots-hidden">, the article's release</span></td>`,
		`<td class="ots-heat-4" title="Go 1.8.7: 9 allocs/op, 117 B/op">9</td>`,
		`<tr class="ots-why"><td colspan="5"><ul>` +
			`<li><b>1.9</b> short, two words: 2 → 1 allocs/op, 64 → 32 B/op; long: 117 → 53 B/op. ` +
			`Since <code>a &lt; b</code>, it is less. <a href="https://go.dev/cl/133715">CL 133715</a></li>` +
			`<li><b>1.10</b> short, two words: 32 → 16 B/op; long: 9 → 1 allocs/op, 53 → 16 B/op. Why. <a ` +
			`href="https://go.dev/doc/go1.10#x">Go 1.10 notes</a></li>` +
			`<li><b>1.12</b> two words: 16 → 16.25 B/op.</li></ul></td></tr>`,
		`<tr><th scope="row">same</th><td class="ots-heat-1" title="Go 1.8.7: 0.5 allocs/op, 8 B/op">0.5</td>`,
		`<tr class="ots-why"><td colspan="5"><p>The same on every release.</p></td></tr>`,
		`<tr><th scope="row">young</th><td class="is-missing" title="since Go 1.12: x came late.">–</td>`,
		`<li><b>1.12</b> The first that can build it: <code>x</code> came late.</li><li>The same on every ` +
			`release since.</li>`,
	} {
		if !strings.Contains(got, want) {
			t.Errorf("the grid lacks\n%s", want)
		}
	}
	if strings.Count(got, "is-article") != 1 || strings.Contains(got, "\n\n") {
		t.Error("another release is outlined, or there is a blank line")
	}
	decoder := xml.NewDecoder(strings.NewReader(got))
	for {
		if _, err := decoder.Token(); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			t.Errorf("not well-formed: %v", err)
			break
		}
	}
	if t.Failed() {
		t.Log(got)
	}
}

// TestAllAlike tests that the grid shows a change once if all benchmarks of a listing changed alike.
func TestAllAlike(t *testing.T) {
	h := past()
	for release, m := range h.Listings["several"] {
		m.Benchmarks = m.Benchmarks[:2]
		h.Set("several", release, m)
	}
	got := gridHTML(t, h, []gridChapter{{Listings: []Listed{several()}}})
	if want := "<b>1.9</b> 2 → 1 allocs/op, 64 → 32 B/op. Since"; !strings.Contains(got, want) {
		t.Errorf("the grid lacks %s:\n%s", want, got)
	}
}

// TestMixedHistory tests that a history measured from different files does not stop the grid: "bookalloc history" checks
// that.
func TestMixedHistory(t *testing.T) {
	h := past()
	h.Set(
		"several",
		"go1.8",
		bookdata.Measurement{Go: "go1.8.7", Benchmarks: []bookdata.Benchmark{{Name: "BenchmarkOther"}}},
	)
	got := gridHTML(t, h, []gridChapter{{Listings: []Listed{several()}}})
	if want := `short</th><td class="is-missing" title="not measured on Go 1.8">–</td><td class="ots-heat-1" ` +
		`title="Go 1.9.7`; !strings.Contains(got, want) {
		t.Errorf("the grid lacks %s:\n%s", want, got)
	}
}

func TestHeat(t *testing.T) {
	for allocs, want := range map[float64]int{0: 0, 0.004: 1, 1: 1, 1.5: 1, 2: 2, 3.9: 2, 4: 3, 7.5: 3, 8: 4, 1000: 4} {
		if got := Heat(allocs); got != want {
			t.Errorf("Heat(%v) = %d, want %d", allocs, got, want)
		}
	}
}

// TestShades proves that the texts of the shades say which cells have them.
func TestShades(t *testing.T) {
	for text, ends := range map[string][2]float64{"0": {0, 0}, "1": {0.5, 1.9}, "2 to 3": {2, 3.9}, "4 to 7": {4, 7.9},
		"8 and more": {8, 1000}} {
		for _, allocs := range ends {
			if got := Shades[Heat(allocs)]; got.Text != text || got.Heat != Heat(allocs) {
				t.Errorf("the shade of %v allocs/op is %+v, want %s", allocs, got, text)
			}
		}
	}
}

func TestLinkText(t *testing.T) {
	for link, want := range map[string]string{
		"https://go.dev/doc/go1.12":                               "Go 1.12 notes",
		"https://tip.golang.org/doc/go1.25#compiler":              "Go 1.25 notes",
		"https://go.dev/cl/133715":                                "CL 133715",
		"https://go.dev/issue/9043":                               "issue 9043",
		"https://github.com/golang/go/blob/go1.6/src/x.go#L1":     "x.go",
		"https://go.dev":                                          "go.dev",
		"https://go.dev/":                                         "go.dev",
		"https://go.dev/blog/allocation-optimizations?utm=x#stay": "allocation-optimizations",
	} {
		if got := linkText(link); got != want {
			t.Errorf("%s: got %q, want %q", link, got, want)
		}
	}
}
