package expand

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"onthestack/internal/bookdata"
	"onthestack/internal/exercise"
	"onthestack/internal/verdict"
)

type exerciseData struct {
	Exercise string            `json:"exercise"`
	Title    string            `json:"title"`
	File     string            `json:"file"`
	Files    map[string]string `json:"files"`
	Function string            `json:"function"` // the editor opens at it
	Teaches  string            `json:"teaches"`  // shown after a pass
	Hints    []string          `json:"hints"`
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
	d := exerciseData{Exercise: e.ID, Title: e.Title, File: e.Edit[0], Files: Texts(e.Starter()), Function: e.Function,
		Teaches: e.Teaches, Starter: e.Figures.Starter}
	for _, h := range e.Hints {
		d.Hints = append(d.Hints, h.Text)
	}
	for _, e := range x.book.Catalog {
		if href := x.exerciseHref(e.ID); href != "" {
			d.All = append(d.All, linkData{e.ID, e.Title, href})
		}
	}
	names, about, err1 := tests(e)
	d.Tests = testsData{about.href(), names}
	answer, err2 := x.book.answer(e)
	if err := errors.Join(err1, err2); err != nil {
		return "", err
	}
	d.Solution = answer.href()
	shown := struct {
		*exercise.Exercise
		Data    exerciseData
		Clone   string
		Targets []string
	}{e, d, x.inClone("In your own editor, change it in a clone of "+repositoryPlace+", then check it:",
		"git clone "+repositoryPlace+" onthestack", "cd onthestack", "go run ./tools/checkalloc "+e.ID), nil}
	for _, target := range e.Benchmarks {
		line, err := targetLine(e, target)
		if err != nil {
			return "", err
		}
		shown.Targets = append(shown.Targets, line)
	}
	return block("exercise", shown)
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
func (x *expander) starter(id, _ string) (m bookdata.Measurement, err error) {
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

// renumbered is the table of the exercises that had other numbers, by these.
func (x *expander) renumbered([]string) (string, error) {
	rows := map[int]string{}
	for _, e := range x.book.Catalog {
		if e.Formerly != "" {
			before := (&exercise.Exercise{ID: e.Formerly}).Number()
			rows[before] = fmt.Sprintf("| %d | %d | [%s](%s) |\n", before, e.Number(), e.Title, x.exerciseHref(e.ID))
		}
	}
	var table strings.Builder
	table.WriteString("| before | now | exercise |\n|--:|--:|---|\n")
	for _, before := range slices.Sorted(maps.Keys(rows)) {
		table.WriteString(rows[before])
	}
	return table.String(), nil
}
