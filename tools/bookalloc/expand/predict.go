package expand

import (
	"fmt"
	"path"
	"slices"
	"strings"

	"onthestack/internal/bookdata"
	"onthestack/internal/verdict"
)

type predictData struct {
	Listing   string         `json:"listing"`
	Benchmark string         `json:"benchmark"`
	Title     string         `json:"title"`
	AsksBytes bool           `json:"asks_bytes"` // whether the reader predicts B/op as well
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

// Text formats the figures, with allocs/op between the given marks: "Go 1.26.8: 0 allocs/op, 0 B/op".
func (f predictFigure) Text(begin, end string) string {
	allocs, rest, _ := strings.Cut(verdict.FormatFigures(f.AllocsPerOp, f.BytesPerOp), " ")
	return Release(f.Go) + ": " + begin + allocs + end + " " + rest
}

// predicted returns the listing and the benchmark that a prediction is about, "" for the only one, and whether it asks
// for B/op as well.
func predicted(args []string) (listing, benchmark string, bytes bool) {
	if last := len(args) - 1; last > 0 && args[last] == "bytes" {
		args, bytes = args[:last], true
	}
	return args[0], optional(args, 1), bytes
}

// predict asks the reader to predict allocs/op, and B/op if it says so, before it shows them: today's figures and, if
// an article measured the benchmark, the figures on the article's release. Without JavaScript, the reader opens the
// answer.
func (x *expander) predict(args []string) (string, error) {
	id, data, err := x.prediction(args)
	if err != nil {
		return "", err
	}
	if slices.ContainsFunc(x.predictions, func(p prediction) bool { return p.id == id }) {
		return "", fmt.Errorf("this page has the same question already")
	}
	x.predictions = append(x.predictions, prediction{use{directive: Directive{Args: args}}, id})
	return block("predict", struct {
		ID   string
		Data predictData
	}{id, *data})
}

// prediction returns the ID of a prediction's block, and the data in it.
func (x *expander) prediction(args []string) (id string, data *predictData, err error) {
	listing, benchmark, bytes := predicted(args)
	l, err := x.measured(listing)
	if err != nil {
		return "", nil, err
	}
	b, err := l.Benchmark(benchmark)
	if err != nil {
		return "", nil, err
	}
	h, m, err := x.show(listing)
	if err != nil {
		return "", nil, err
	}
	alone := len(l.Verdict.Benchmarks) == 1
	data = &predictData{
		Listing: listing, Benchmark: b.Name, Title: m.Label(b.Name, alone), AsksBytes: bytes,
		Now: predictFigure{l.Verdict.Go, l.Platform(), b.AllocsPerOp, b.BytesPerOp},
	}
	about := func(a bookdata.Article) bool { return a.About(b.Name, alone) }
	if i := slices.IndexFunc(m.Articles, about); i >= 0 {
		then, old, err := h.Figure(listing, m.Articles[i].Release, b.Name)
		if err != nil {
			return "", nil, err
		}
		data.Then = &predictFigure{old.Go, old.Platform, then.AllocsPerOp, then.BytesPerOp}
	}
	id = "predict-" + chapterOf(listing) + "-" + path.Base(listing)
	if benchmark != "" {
		id += "-" + benchmark
	}
	return strings.ReplaceAll(id, "/", "-"), data, nil
}
