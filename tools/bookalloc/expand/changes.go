package expand

import (
	"net/url"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"onthestack/internal/bookdata"
	"onthestack/internal/verdict"
)

// A Change is a release on which a listing's figures differ from the release before.
type Change struct {
	Release    string `json:"release"`    // "go1.8"
	Difference string `json:"difference"` // "2 → 1 allocs/op, 53 → 5 B/op"
	Why        string `json:"why"`        // HTML; "" where the manifest says none
	Link       string `json:"link"`       // to the release notes or the change
	LinkText   string `json:"link_text"`
}

// Changes returns a listing's changes, oldest first.
func Changes(h *bookdata.History, name string, m *bookdata.Manifest) []Change {
	var all []Change
	for _, release := range h.Changes(name) {
		c := Change{Release: release, Difference: difference(h, name, release, h.Benchmarks(name))}
		if i := slices.IndexFunc(m.Changes, func(c bookdata.Change) bool { return c.Release == release }); i >= 0 {
			change := m.Changes[i]
			c.Why, c.Link, c.LinkText = Prose(change.Why), change.Link, linkText(change.Link)
		}
		all = append(all, c)
	}
	return all
}

// difference states what the benchmarks of a listing measured before a release and on it: "2 → 1 allocs/op, 53 → 5
// B/op". If there are several benchmarks and not all changed alike, it names the ones with a change.
func difference(h *bookdata.History, name, release string, benchmarks []string) string {
	after := h.Listings[name][release]
	before := h.Before(name, release)
	var differences []string // what changed, in the order of benchmarks
	which := map[string][]string{}
	for _, benchmark := range benchmarks {
		from, err := before.Benchmark(benchmark)
		to, err2 := after.Benchmark(benchmark)
		if err != nil || err2 != nil || from == to {
			continue
		}
		d := changedFigures(from, to)
		if which[d] == nil {
			differences = append(differences, d)
		}
		which[d] = append(which[d], bookdata.BenchmarkWords(benchmark))
	}
	if len(differences) == 1 && len(which[differences[0]]) == len(benchmarks) {
		return differences[0]
	}
	for i, d := range differences {
		differences[i] = strings.Join(which[d], ", ") + ": " + d
	}
	return strings.Join(differences, "; ")
}

// changedFigures states how a benchmark's figures changed.
func changedFigures(from, to bookdata.Benchmark) string {
	var parts []string
	if from.AllocsPerOp != to.AllocsPerOp {
		parts = append(parts, arrow(from.AllocsPerOp, to.AllocsPerOp, verdict.FormatCount)+" allocs/op")
	}
	if from.BytesPerOp != to.BytesPerOp {
		parts = append(parts, arrow(from.BytesPerOp, to.BytesPerOp, verdict.FormatBytes)+" B/op")
	}
	return strings.Join(parts, ", ")
}

// arrow writes two figures.
func arrow(from, to float64, format func(float64) string) string {
	format = Telling(format, from, to)
	return format(from) + " → " + format(to)
}

// Telling returns a format for figures: the given one, or all digits if it would make two different figures look alike.
func Telling(format func(float64) string, figures ...float64) func(float64) string {
	values := map[string]float64{}
	for _, x := range figures {
		if other, ok := values[format(x)]; ok && other != x {
			return allDigits
		}
		values[format(x)] = x
	}
	return format
}

func allDigits(x float64) string { return strconv.FormatFloat(x, 'f', -1, 64) }

var (
	notesLink  = regexp.MustCompile(`^/doc/go(1\.\d+)$`)
	changeLink = regexp.MustCompile(`^/(cl|issue)/(\d+)$`)
)

// linkText says what a manifest's link leads to: "Go 1.12 notes", "CL 133715", "issue 9043", "malloc.go", "go.dev".
func linkText(link string) string {
	u, err := url.Parse(link)
	if err != nil {
		return link
	}
	if m := notesLink.FindStringSubmatch(u.Path); m != nil {
		return "Go " + m[1] + " notes"
	}
	if m := changeLink.FindStringSubmatch(u.Path); m != nil {
		return map[string]string{"cl": "CL", "issue": "issue"}[m[1]] + " " + m[2]
	}
	if base := path.Base(u.Path); base != "." && base != "/" {
		return base
	}
	return u.Host
}
