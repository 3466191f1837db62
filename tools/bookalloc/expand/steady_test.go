package expand

import (
	"strings"
	"testing"

	"onthestack/internal/bookdata"
)

// TestSteady tests that figures are written once, without a grid, only if no listing's change.
func TestSteady(t *testing.T) {
	h := past()
	two := func(release string, short float64) {
		h.Set("two", release, bookdata.Measurement{Go: h.Releases[release], Platform: "linux/amd64",
			Benchmarks: []bookdata.Benchmark{{Name: "BenchmarkShort", AllocsPerOp: short, BytesPerOp: 16},
				{Name: "BenchmarkTwoWords", AllocsPerOp: 1, BytesPerOp: 16}, {Name: "BenchmarkNone"}}})
	}
	two("go1.10", 1)
	two("go1.12", 1)
	h.Set("holes", "go1.8", h.Listings["same"]["go1.8"])
	h.Set("holes", "go1.12", h.Listings["same"]["go1.12"])
	same := Listed{Name: "same", Manifest: &bookdata.Manifest{Title: "a < b"}}
	since := Listed{Name: "two", Manifest: &bookdata.Manifest{Title: "two", Since: "go1.10"}}
	elsewhere := Listed{Name: "same", Href: "x.html", Manifest: &bookdata.Manifest{Title: "same"}}
	young := Listed{Name: "young", Manifest: &bookdata.Manifest{Since: "go1.12"}}
	holes := Listed{Name: "holes", Manifest: &bookdata.Manifest{}}
	span := func(from, text string) string {
		return `<span class="ots-figure" title="measured: ` + from + ` to go1.12.17 linux/amd64">` + text + `</span>`
	}
	half := span("go1.8.7", "0.5 allocs/op, 8 B/op")
	figures := "<b>short</b>, <b>two words</b> " + span("go1.10.8", "1 alloc/op, 16 B/op") + "; <b>none</b> " +
		span("go1.10.8", "0 allocs/op, 0 B/op")
	for _, test := range []struct {
		name string
		rows []Listed
		want string // "" for a grid
	}{
		{"one", []Listed{same}, "<p>The same on every release since Go 1.8: " + half + ".</p>\n"},
		{"elsewhere", []Listed{elsewhere},
			"<p>The same on every release since Go 1.8: " + half + ` (<a href="x.html">same</a>).</p>` + "\n"},
		{"since", []Listed{since},
			"<p>The same on every release since Go 1.10, the first that can build the program: " + figures + ".</p>\n"},
		{"alike", []Listed{same, elsewhere}, "<p>The same on every release since Go 1.8:</p>\n<ul>\n<li>a &lt; b: " + half +
			"</li>\n<li><a href=\"x.html\">same</a>: " + half + "</li>\n</ul>\n"},
		{"mixed", []Listed{same, since},
			"<p>The same on every release that can build the programs:</p>\n<ul>\n<li>a &lt; b, since Go 1.8: " + half +
				"</li>\n<li>two, since Go 1.10: " + figures + "</li>\n</ul>\n"},
		{"changed", []Listed{same, several()}, ""},
		{"a single release", []Listed{young}, ""},
		{"not measured everywhere", []Listed{holes}, ""},
	} {
		got := ""
		if s := steadyRows(h, test.rows); s != nil {
			var err error
			if got, err = block("steady", s); err != nil {
				t.Fatal(err)
			}
		}
		if got != test.want || strings.Contains(got, "\n\n") {
			t.Errorf("%s: got\n%s\nwant\n%s", test.name, got, test.want)
		}
	}
}
