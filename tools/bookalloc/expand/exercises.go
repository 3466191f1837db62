package expand

import (
	"encoding/json"
	"fmt"
	"html"
	"strings"

	"onthestack/internal/bookdata"
	"onthestack/internal/exercise"
	"onthestack/internal/verdict"
)

// dataBlock returns v as an element of JSON for the page's script. Marshal escapes "<", so that nothing in v ends the
// element, and writes one line.
func dataBlock(v any) (string, error) {
	data, err := json.Marshal(v)
	if err != nil {
		return "", err
	}
	return "<script type=\"application/json\" class=\"ots-data\">" + string(data) + "</script>\n", nil
}

type exerciseData struct {
	Exercise string            `json:"exercise"`
	Title    string            `json:"title"`
	File     string            `json:"file"`
	Files    map[string]string `json:"files"`
	Function string            `json:"function"` // the editor opens at it
	Teaches  string            `json:"teaches"`  // shown after a pass
	Hints    []string          `json:"hints"`
	Targets  []targetData      `json:"targets"`
	Starter  []exercise.Figure `json:"starter"`
	// All are the exercises that the book shows, in order; the page offers one of them as the next.
	All      []linkData `json:"all"`
	Tests    testsData  `json:"tests"`
	Solution string     `json:"solution"` // its URL, relative to the book's folder
}

// testsData names the files that are shown beside the code, and their URL relative to the book's folder.
type testsData struct {
	Href  string   `json:"href"`
	Files []string `json:"files"`
}

type targetData struct {
	Name   string   `json:"name"`
	Allocs float64  `json:"allocs"`
	Bytes  *float64 `json:"bytes,omitempty"`
	Live   *float64 `json:"live,omitempty"`
}

type linkData struct {
	Exercise string `json:"exercise"`
	Title    string `json:"title"`
	Href     string `json:"href"`
}

// find returns an exercise, which must have been measured.
func (x *expander) find(id string) (*exercise.Exercise, error) {
	e := x.book.Catalog.Lookup(id)
	if e == nil {
		var ids []string
		for _, e := range x.book.Catalog {
			ids = append(ids, e.ID)
		}
		return nil, fmt.Errorf("no exercise %q: the exercises are %s; \"go run ./tools/checkalloc dev seal\" adds "+
			"new ones", id,
			strings.Join(ids, ", "))
	}
	if e.Figures == nil {
		return nil, fmt.Errorf("%s is not measured: run \"go run ./tools/checkalloc dev seal\"", id)
	}
	return e, nil
}

func (x *expander) exercise(args []string) (string, error) {
	e, err := x.find(args[0])
	if err != nil {
		return "", err
	}
	d := exerciseData{Exercise: e.ID, Title: e.Title, File: e.Edit[0], Files: map[string]string{}, Function: e.Function,
		Teaches: e.Teaches, Starter: e.Figures.Starter}
	for name, text := range e.Starter() {
		d.Files[name] = string(text)
	}
	for _, h := range e.Hints {
		d.Hints = append(d.Hints, h.Text)
	}
	for _, b := range e.Benchmarks {
		d.Targets = append(d.Targets, targetData{b.Name, b.Allocs, b.Bytes, b.Live})
	}
	for _, e := range x.book.Catalog {
		if href := x.exerciseHref(e.ID); href != "" {
			d.All = append(d.All, linkData{e.ID, e.Title, href})
		}
	}
	names, about, err := tests(e)
	if err != nil {
		return "", err
	}
	d.Tests = testsData{about.href(), names}
	answer, err := x.book.answer(e)
	if err != nil {
		return "", err
	}
	d.Solution = answer.href()
	data, err := dataBlock(d)
	if err != nil {
		return "", err
	}
	var b strings.Builder
	fmt.Fprintf(&b, "<section class=\"ots-exercise\" id=%q data-exercise=%q>\n%s\n", e.ID, e.ID, data)
	fmt.Fprintf(&b, "<div class=\"ots-task\">\n\n%s\n\n", strings.TrimSpace(e.Task))
	for _, target := range e.Benchmarks {
		line, err := targetLine(e, target)
		if err != nil {
			return "", err
		}
		fmt.Fprintf(&b, "<p class=\"ots-target\">%s</p>\n", line)
	}
	fmt.Fprintf(&b, "<p class=\"ots-plain\">The benchmark by itself, with the same figures: <code>%s</code></p>\n",
		html.EscapeString(e.PlainBenchmark()))
	b.WriteString("</div>\n\n")
	for _, name := range e.Edit {
		fmt.Fprintf(&b, "<p class=\"ots-caption\"><code>%s/%s</code></p>\n\n%s\n", e.Dir(), html.EscapeString(name),
			fence("go", string(e.Files[name])))
	}
	b.WriteString(x.inClone("In your own editor, change it in a clone of "+repositoryPlace+", then check it:",
		"git clone "+repositoryPlace+" onthestack", "cd onthestack", "go run ./tools/checkalloc "+e.ID) + "\n")
	for i, h := range e.Hints {
		fmt.Fprintf(&b, "<details><summary>Hint %d</summary>\n\n%s\n\n</details>\n\n", i+1, strings.TrimSpace(h.Text))
	}
	b.WriteString("</section>\n")
	return b.String(), nil
}

// targetLine returns a benchmark's target and the starter's figures: "Target 1 alloc/op, 64 B/op. The starter makes 2
// allocs/op, 112 B/op." If there are several benchmarks, each line includes the benchmark's name.
func targetLine(e *exercise.Exercise, target exercise.Benchmark) (string, error) {
	f, ok := e.StarterFigure(target.Name)
	if !ok {
		return "", fmt.Errorf("%s of the starter is not measured: run \"go run ./tools/checkalloc dev seal\"", target.Name)
	}
	goal := verdict.FormatAllocs(target.Allocs)
	if target.Bytes != nil {
		goal += ", " + verdict.FormatBytes(*target.Bytes) + " B/op"
	}
	left := ""
	if target.Live != nil && f.LiveBytesPerOp != nil {
		goal += ", " + verdict.FormatBytes(*target.Live) + " live B/op"
		left = fmt.Sprintf(" It leaves %s live B/op: bytes that the garbage collector cannot free.",
			figure{verdict.FormatBytes(*f.LiveBytesPerOp), e.Figures.Go}.span())
	}
	name := ""
	if len(e.Benchmarks) > 1 {
		name = " of <code>" + target.Name + "</code>"
	}
	allocs := verdict.FormatCount(f.AllocsPerOp)
	return fmt.Sprintf("<strong>Target%s</strong> %s. The starter makes %s %s, %s B/op.%s", name, goal,
		figure{allocs, e.Figures.Go}.span(), verdict.AllocsUnit(allocs), figure{verdict.FormatBytes(f.BytesPerOp),
			e.Figures.Go}.span(), left), nil
}

// starter returns the figures of an exercise's starter.
func (x *expander) starter(id string) (m bookdata.Measurement, err error) {
	e, err := x.find(id)
	if err != nil {
		return m, err
	}
	m.Go = e.Figures.Go
	for _, f := range e.Figures.Starter {
		m.Benchmarks = append(m.Benchmarks, bookdata.Benchmark{Name: f.Name, AllocsPerOp: f.AllocsPerOp,
			BytesPerOp: f.BytesPerOp})
	}
	return m, nil
}
