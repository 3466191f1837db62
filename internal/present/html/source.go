package html

import (
	"cmp"
	"fmt"
	"html/template"
	"strings"

	"onthestack/internal/present"
)

// A function is a function with lines that allocate, and its source.
type function struct {
	present.Function
	Place string // the name of the file for the reader
	// Columns are the heads of the columns beside its lines, and Sum is what it allocates; "" if nothing was measured.
	Columns [2]string
	Sum     string
	Open    bool // its source is unfolded
	ID      string
	Share   int // share of its benchmark's allocations, in tenths
	Rows    []row
}

// A file is the source of a file outside of these functions.
type file struct {
	Name string
	Rows []row
}

// A row is a source line, or several folded ones.
type row struct {
	Fold        []row
	First, Last int

	ID     string // anchor
	Number int
	Code   template.HTML

	Line       *present.Line // nil if it allocates nothing
	Columns    *columns      // nil if nothing was measured
	Figures    string        // what the columns have no room for
	Share      int
	Notes      []note
	Single     bool // there is one note with the figures of one benchmark
	Steps      []link
	MoreSteps  int
	Causes     []link // the lines that allocate because of this one
	MoreCauses int
	Said       []diagnostic
}

// A columns has the two figures beside a line.
type columns struct {
	UpTo                                 bool // in one of several benchmarks
	First, FirstUnit, Second, SecondUnit string
}

type note struct {
	present.Note
	Calls       []string
	MoreFigures int
	Named       bool // the figures name their benchmarks
}

// A link leads to a line: to a step of the flow with its message, or to a line that allocates with its code.
type link struct {
	ID, Place, Text string // ID is "" if the page does not show the line
}

// A diagnostic is a message of the compiler about a line.
type diagnostic struct {
	Column  int
	Message string
	Heap    bool // about a value on the heap
	Flow    string
}

func (b *builder) function(i int, f present.Function) function {
	shown := function{Function: f, Place: b.name(f.File), ID: fmt.Sprintf("f%d", i),
		Share: tenths(b.shares.Of(f.Figures())), Columns: b.unit.columns}
	if all := f.Figures(); len(all) > 0 {
		shown.Sum = b.unit.sum(f.Most(), len(all) > 1)
	}
	lines := map[int]*present.Line{}
	for _, l := range f.Lines {
		lines[l.Number] = &l
	}
	if f.First == 0 || len(b.code[f.File]) == 0 {
		for _, l := range f.Lines {
			shown.Rows = append(shown.Rows, b.row(sourceLine{l.File, l.Number}, &l))
		}
		return shown
	}
	for n := f.First; n <= f.Last; n++ {
		if p := (sourceLine{f.File, n}); b.shown[p] {
			shown.Rows = append(shown.Rows, b.row(p, lines[n]))
		}
	}
	shown.Rows = fold(shown.Rows, f.Begin)
	return shown
}

// fold folds the rows without a line of interest nearby, except the row on which the declaration begins.
func fold(rows []row, begin int) []row {
	near := map[int]bool{begin: true}
	for _, r := range rows {
		if r.Line != nil || len(r.Causes) > 0 {
			for n := r.Number - around; n <= r.Number+around; n++ {
				near[n] = true
			}
		}
	}
	var folded, far []row
	flush := func() {
		if len(far) >= shortest {
			far = []row{{Fold: far, First: far[0].Number, Last: far[len(far)-1].Number}}
		}
		folded, far = append(folded, far...), nil
	}
	for _, r := range rows {
		if near[r.Number] || len(far) > 0 && r.Number != far[len(far)-1].Number+1 {
			flush()
		}
		if near[r.Number] {
			folded = append(folded, r)
		} else {
			far = append(far, r)
		}
	}
	flush()
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
		if len(f.Rows) > 0 {
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
		r.Code = template.HTML(escaped(present.Shorten(l.Code, maxColumns)))
	}
	if l == nil {
		return r
	}
	figures := l.Figures()
	r.Line, r.Share = l, tenths(b.shares.Of(figures))
	if len(figures) > 0 {
		c := b.unit.cells(l.Most())
		c.UpTo = len(figures) > 1
		r.Columns, r.Figures = &c, b.unit.details[p]
	}
	for _, n := range l.Notes() {
		shown := note{Note: n, Named: len(b.Verdict.Benchmarks) > 1}
		shown.Figures = first(n.Figures, maxFigures)
		shown.MoreFigures = len(n.Figures) - len(shown.Figures)
		for _, calls := range first(n.Callees, maxFigures) {
			shown.Calls = append(shown.Calls, inline(strings.Join(calls, " → "), maxText))
		}
		shown.Why = inline(n.Why, maxText)
		r.Notes = append(r.Notes, shown)
	}
	r.Single = len(r.Notes) == 1 && len(figures) == 1
	steps := l.Steps()
	r.MoreSteps = max(0, len(steps)-maxSteps)
	for _, s := range first(steps, maxSteps) {
		to := sourceLine{s.File, s.Line}
		st := link{Place: b.placeFrom(to, l.File), Text: inline(cmp.Or(s.Message, s.Text), maxText)}
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
