package expand

import (
	"fmt"
	"html"
	"path"
	"slices"
	"strings"

	"onthestack/internal/bookdata"
	"onthestack/tools/bookalloc/grid"
)

type predictData struct {
	Listing   string         `json:"listing"`
	Benchmark string         `json:"benchmark"`
	Title     string         `json:"title"`
	Now       predictFigure  `json:"now"`
	Then      *predictFigure `json:"then,omitempty"`
}

// A predictFigure has the figures of a benchmark on one release.
type predictFigure struct {
	Go          string  `json:"go"`
	Platform    string  `json:"platform"`
	AllocsPerOp float64 `json:"allocs_per_op"`
	BytesPerOp  float64 `json:"bytes_per_op"`
}

// text formats the figures, with allocs/op between the given marks: "Go 1.26.8: 0 allocs/op, 0 B/op".
func (f predictFigure) text(begin, end string) string {
	allocs, rest, _ := strings.Cut(
		grid.Figures(bookdata.Benchmark{AllocsPerOp: f.AllocsPerOp, BytesPerOp: f.BytesPerOp}),
		" ",
	)
	return grid.Release(f.Go) + ": " + begin + allocs + end + " " + rest
}

// predict asks the reader to predict allocs/op before it shows them: today's and, if an article measured the benchmark,
// those on the article's release. Without JavaScript, the reader opens the answer.
func (x *expander) predict(args []string) (string, error) {
	l, err := x.measured(args[0])
	if err != nil {
		return "", err
	}
	b, err := l.Benchmark(optional(args, 1))
	if err != nil {
		return "", err
	}
	h, m, err := x.show(args[0])
	if err != nil {
		return "", err
	}
	alone := len(l.Verdict.Benchmarks) == 1
	data := predictData{
		Listing: args[0], Benchmark: b.Name, Title: m.Label(b.Name, alone),
		Now: predictFigure{l.Verdict.Go, l.Platform(), b.AllocsPerOp, b.BytesPerOp},
	}
	answer := html.EscapeString(data.Title) + ". " + data.Now.text("<b>", "</b>") + "."
	of := func(a bookdata.Article) bool { return a.Benchmark == b.Name || a.Benchmark == "" && alone }
	if i := slices.IndexFunc(m.Articles, of); i >= 0 {
		if data.Then, err = then(h, args[0], m.Articles[i].Release, b.Name); err != nil {
			return "", err
		}
		answer += " " + data.Then.text("", "") + "."
	}
	id := strings.ReplaceAll(strings.Join(append([]string{"predict", chapterOf(args[0]), path.Base(args[0])},
		args[1:]...), "-"), "/", "-")
	if x.asked[x.page+"#"+id] {
		return "", fmt.Errorf("this page has the same question already")
	}
	x.asked[x.page+"#"+id] = true
	block, err := dataBlock(data)
	if err != nil {
		return "", err
	}
	return fmt.Sprintf(`<div class="ots-predict" id="%s">
%s<details><summary>Predict: how many allocs/op? Then open.</summary>
<p>%s</p>
</details></div>
`, html.EscapeString(id), block, answer), nil
}

// then returns the figures of a benchmark on an older release.
func then(h *bookdata.History, name, release, benchmark string) (*predictFigure, error) {
	m, err := h.Of(name, release)
	if err != nil {
		return nil, err
	}
	b, err := h.Figure(name, release, benchmark)
	if err != nil {
		return nil, err
	}
	return &predictFigure{m.Go, m.Platform, b.AllocsPerOp, b.BytesPerOp}, nil
}
