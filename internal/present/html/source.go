package html

import (
	"cmp"
	"fmt"
	"html/template"
	"strings"

	"onthestack/internal/present"
	"onthestack/internal/printable"
)

// A function is a function with lines that allocate, and its source.
type function struct {
	present.Function
	Place string // the name of the file for the reader
	Open  bool   // its source is unfolded
	ID    string
	Lines int
	Most  present.Figure
	Share int // share of its benchmark's allocations, in tenths
	Per   []present.Figure
	Rows  []row
}

// A file is the source of a file outside of these functions.
type file struct {
	Name  string
	Lines int
	Rows  []row
}

// A row is a source line, or several folded ones.
type row struct {
	Fold        []row
	First, Last int

	ID     string // anchor
	Number int
	Code   template.HTML

	Allocates  bool
	Share      int
	Figure     present.Figure
	Several    bool // Figure is one of several benchmarks'
	Only       bool // the only note has the same figure
	Notes      []note
	Steps      []flowStep
	MoreSteps  int
	Causes     []link // the lines that allocate because of this one
	MoreCauses int
	Said       []diagnostic
}

type note struct {
	present.Note
	Calls       []string
	Figures     []present.Figure
	MoreFigures int
	Named       bool // the figures name their benchmarks
}

// A flowStep is a step of the flow, with its place.
type flowStep struct {
	Place, ID, Message string
}

type link struct {
	ID, Place, Code string
}

// A diagnostic is a message of the compiler about a line.
type diagnostic struct {
	Column  int
	Message string
	Heap    bool // about a value on the heap
	Flow    string
}

func (b *builder) function(i int, f present.Function) function {
	shown := function{Function: f, Place: b.name(f.File), ID: fmt.Sprintf("f%d", i), Lines: len(f.Lines),
		Most:  f.Most(),
		Share: tenths(b.shares.Of(f.Figures()))}
	if len(b.v.Benchmarks) > 1 {
		shown.Per = f.Figures()
	}
	lines := map[int]present.Line{}
	for _, l := range f.Lines {
		if !b.noNotes[sourceLine{l.File, l.Number}] {
			lines[l.Number] = l
		}
	}
	if f.First == 0 || len(b.code[f.File]) == 0 {
		for _, l := range f.Lines {
			if !b.noNotes[sourceLine{l.File, l.Number}] {
				shown.Rows = append(shown.Rows, b.row(sourceLine{l.File, l.Number}, &l))
			}
		}
		return shown
	}
	interesting := func(n int) bool {
		_, allocates := lines[n]
		return allocates || len(b.causes[sourceLine{f.File, n}]) > 0
	}
	for n := f.First; n <= f.Last; n++ {
		p := sourceLine{f.File, n}
		if !b.shown[p] {
			continue
		}
		if l, ok := lines[n]; ok {
			shown.Rows = append(shown.Rows, b.row(p, &l))
		} else {
			shown.Rows = append(shown.Rows, b.row(p, nil))
		}
	}
	shown.Rows = fold(shown.Rows, f.Begin, interesting)
	return shown
}

// fold folds the rows without a line of interest nearby, except the row on which the declaration begins.
func fold(rows []row, begin int, interesting func(n int) bool) []row {
	near := map[int]bool{begin: true}
	for _, r := range rows {
		if interesting(r.Number) {
			for n := r.Number - around; n <= r.Number+around; n++ {
				near[n] = true
			}
		}
	}
	var folded []row
	for i := 0; i < len(rows); {
		end := i
		for end < len(rows) && !near[rows[end].Number] && (end == i || rows[end].Number == rows[end-1].Number+1) {
			end++
		}
		switch {
		case end-i >= shortest:
			folded = append(folded, row{Fold: rows[i:end], First: rows[i].Number, Last: rows[end-1].Number})
		case end > i:
			folded = append(folded, rows[i:end]...)
		default:
			folded = append(folded, rows[i])
			end++
		}
		i = end
	}
	return folded
}

// otherFiles returns the source outside of the functions.
func (b *builder) otherFiles(functions []present.Function) []file {
	taken := map[sourceLine]bool{}
	for _, f := range functions {
		for n := f.First; n <= f.Last && f.First > 0; n++ {
			taken[sourceLine{f.File, n}] = true
		}
		for _, l := range f.Lines {
			taken[sourceLine{l.File, l.Number}] = true
		}
	}
	var files []file
	for _, name := range b.files {
		f := file{Name: name}
		for n := 1; n <= len(b.code[name]); n++ {
			if p := (sourceLine{name, n}); b.shown[p] && !taken[p] {
				f.Rows = append(f.Rows, b.row(p, nil))
			}
		}
		if f.Lines = len(f.Rows); f.Lines > 0 {
			files = append(files, f)
		}
	}
	return files
}

// row makes the row of a line. If the line allocates, l is not nil, and the row has its figures and reasons.
func (b *builder) row(p sourceLine, l *present.Line) row {
	r := row{Number: p.line, ID: b.id(p), Causes: b.causes[p], MoreCauses: b.more[p], Said: b.diagnosticsAt[p]}
	if lines := b.code[p.file]; p.line >= 1 && p.line <= len(lines) {
		r.Code = lines[p.line-1]
	} else if l != nil {
		r.Code = template.HTML(escaped([]byte(present.Shorten(l.Code, maxColumns))))
	}
	if l == nil {
		return r
	}
	figures := l.Figures()
	r.Allocates, r.Figure, r.Several = true, l.Most(), len(figures) > 1
	r.Share = tenths(b.shares.Of(figures))
	notes := l.Notes()
	r.Only = len(notes) == 1 && len(figures) == 1
	for _, n := range notes {
		shown := note{Note: n, Named: len(b.v.Benchmarks) > 1, Figures: n.Figures}
		if len(n.Figures) > maxFigures {
			shown.Figures, shown.MoreFigures = n.Figures[:maxFigures], len(n.Figures)-maxFigures
		}
		for i, calls := range n.Callees {
			if i == maxFigures {
				break
			}
			shown.Calls = append(shown.Calls, present.Shorten(printable.Inline(strings.Join(calls, " → ")), maxText))
		}
		shown.Why = present.Shorten(printable.Inline(n.Why), maxText)
		r.Notes = append(r.Notes, shown)
	}
	for i, s := range l.Steps() {
		if i == maxSteps {
			r.MoreSteps = len(l.Steps()) - i
			break
		}
		to := sourceLine{s.File, s.Line}
		st := flowStep{Place: b.placeFrom(to, l.File),
			Message: present.Shorten(printable.Inline(cmp.Or(s.Message, s.Text)), maxText)}
		if to != p {
			st.ID = b.anchor(to)
		}
		r.Steps = append(r.Steps, st)
	}
	return r
}

// tenths rounds a share from 0 to 1 up to tenths, so that a small share is visible.
func tenths(share float64) int {
	return min(int(share*10+0.999), 10)
}
