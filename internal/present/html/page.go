package html

import (
	"fmt"
	"html/template"
	"maps"
	"slices"
	"strings"

	"onthestack/internal/present"
	"onthestack/internal/printable"
	"onthestack/internal/verdict"
)

// A document is the input of the template.
type document struct {
	Verdict   *verdict.Verdict
	Heading   string
	Platform  string
	Command   string
	Measured  bool
	Stages    []present.Stage
	Problems  []problem
	Flames    []flame
	Legend    []kindGroup
	Functions []function
	More      []function // the functions below the fold of their table
	Inside    []function // functions of other packages
	Files     []file
	Timed     bool     // ns/op are medians of several runs
	Shared    bool     // some counts are estimates, as in verdict.Allocation
	LeftOut   []string // sentences about what the page does not show
}

type problem struct {
	Place, Message string
	Code           template.HTML
}

type kindGroup struct {
	Group present.Group
	Words string
}

var legend = []kindGroup{
	{present.Escapes, "escapes or moves to the heap"},
	{present.Boxes, "interface, closure, goroutine"},
	{present.Grows, "the runtime makes room"},
	{present.Copies, "text made or copied"},
	{present.Called, "in a callee"},
	{present.Unknown, "other, or elsewhere"},
}

// A builder makes a document.
type builder struct {
	document
	Options
	part          float64 // of the limits that the page may use, from 0 to 1
	unit          unit
	shares        present.Shares
	files         []string
	index         map[string]int // index in files by name
	code          map[string][]template.HTML
	diagnosticsAt map[sourceLine][]diagnostic
	causes        map[sourceLine][]link
	more          map[sourceLine]int  // number of causes that are not listed
	shown         map[sourceLine]bool // lines with an anchor
}

// A unit says how a page writes the figures of lines and functions.
type unit struct {
	columns [2]string // the heads of the columns
	cells   func(present.Figure) columns
	sum     func(f present.Figure, upTo bool) string
	details map[sourceLine]string // more about the figures of a line
}

// perOp writes the figures of benchmarks.
var perOp = unit{
	columns: [2]string{"allocs/op", "B/op"},
	cells: func(f present.Figure) columns {
		unit := "allocs/op"
		if f.AllocsPerOp == 1 {
			unit = "alloc/op"
		}
		return columns{First: verdict.FormatCount(f.AllocsPerOp), FirstUnit: unit,
			Second: verdict.FormatBytes(f.BytesPerOp), SecondUnit: "B/op"}
	},
	sum: func(f present.Figure, upTo bool) string {
		text := verdict.FormatFigures(f.AllocsPerOp, f.BytesPerOp)
		if upTo {
			text = "up to " + text
		}
		return text
	},
}

// A sourceLine is a line of a file.
type sourceLine struct {
	file string
	line int
}

func newBuilder(v *verdict.Verdict, o Options, part float64, u unit) *builder {
	return &builder{document: document{Verdict: v}, Options: o, part: part, unit: u, shares: present.SharesOf(v),
		index: map[string]int{}, code: map[string][]template.HTML{}, diagnosticsAt: map[sourceLine][]diagnostic{},
		causes: map[sourceLine][]link{}, more: map[sourceLine]int{}, shown: map[sourceLine]bool{}}
}

func build(v *verdict.Verdict, o Options, part float64) document {
	b := newBuilder(v, o, part, perOp)
	b.document = document{
		Verdict: v, Heading: present.Shorten(present.Heading(v), 200),
		Platform: present.Shorten(present.Platform(v), 200),
		Command:  printable.Inline(o.Command),
		Measured: present.Measured(v), Legend: legend,
		Timed: slices.ContainsFunc(v.Benchmarks, func(m verdict.Benchmark) bool { return len(m.NsSamples) > 1 }),
		Shared: slices.ContainsFunc(slices.Concat(v.Allocations, v.Inside),
			func(a verdict.Allocation) bool { return a.Shared }),
	}
	if v.Exercise != "" { // a package has no stages to pass
		b.Stages = present.Stages(v)
	}
	inPackage := present.Functions(v, o.Source)
	all := b.bounded(slices.Concat(inPackage, present.Inside(v, o.Source)))
	functions, inside := all[:min(len(inPackage), len(all))], all[min(len(inPackage), len(all)):]
	b.nameFiles()
	b.readSources(inside)
	b.diagnostics()
	b.setAnchors(all)
	for _, p := range v.Errors {
		b.Problems = append(b.Problems, b.problem(p))
	}
	for i, f := range all {
		shown := b.function(i, f)
		if i < len(functions) {
			shown.Open = i < opened
			b.Functions = append(b.Functions, shown)
		} else {
			shown.Open = i < len(functions)+openedInside
			b.Inside = append(b.Inside, shown)
		}
	}
	if len(b.Functions) > indexed+3 {
		b.More = b.Functions[indexed:]
	}
	b.Files = b.otherFiles(functions)
	b.Flames = b.flames(functions)
	return b.document
}

// nameFiles names the files that the verdict is about.
func (b *builder) nameFiles() {
	named := map[string]bool{}
	for _, a := range b.Verdict.Allocations {
		named[a.File] = true
	}
	for _, d := range b.Verdict.Escapes {
		named[d.File] = true
		for _, s := range d.Flow {
			named[s.File] = true
		}
	}
	b.files = slices.Sorted(maps.Keys(named))
}

// readSources reads and colors these files and the ones of some functions.
func (b *builder) readSources(functions []present.Function) {
	all := slices.Clone(b.files)
	for _, f := range functions {
		all = append(all, f.File)
	}
	for _, name := range all {
		if _, read := b.index[name]; !read {
			b.index[name] = len(b.index)
			b.code[name] = code(name, present.Text(b.Source, name))
		}
	}
}

func (b *builder) id(p sourceLine) string { return fmt.Sprintf("s%dL%d", b.index[p.file], p.line) }

// anchor returns the id of a line, or "" if the page does not show the line.
func (b *builder) anchor(p sourceLine) string {
	if b.shown[p] {
		return b.id(p)
	}
	return ""
}

// setAnchors decides which lines have an anchor, and records for each line which lines allocate because of it.
func (b *builder) setAnchors(functions []present.Function) {
	room := b.room(maxCode)
	for _, f := range functions {
		if f.First > 0 {
			b.show(f.File, f.First, f.Last, &room)
		}
		for _, l := range f.Lines {
			b.shown[sourceLine{l.File, l.Number}] = true
		}
	}
	for _, name := range b.files {
		if n := b.show(name, 1, len(b.code[name]), &room); n > 0 {
			b.leaveOut("%s of %s.", present.Plural(n, "line"), printable.Inline(name))
		}
	}
	for _, f := range functions {
		for _, l := range f.Lines {
			from := sourceLine{l.File, l.Number}
			for _, s := range first(l.Steps(), maxSteps) {
				to := sourceLine{s.File, s.Line}
				if to == from || !b.shown[to] {
					continue
				}
				k := link{b.id(from), b.placeFrom(from, to.file), inline(l.Code, 40)}
				switch {
				case slices.Contains(b.causes[to], k):
				case len(b.causes[to]) == maxCauses:
					b.more[to]++
				default:
					b.causes[to] = append(b.causes[to], k)
				}
			}
		}
	}
}

// show gives anchors to lines while there is room, and returns the number of lines without.
func (b *builder) show(file string, first, last int, room *int) (without int) {
	for n := first; n <= min(last, len(b.code[file])); n++ {
		p := sourceLine{file, n}
		switch {
		case b.shown[p]:
		case *room > 0:
			b.shown[p] = true
			*room--
		default:
			without++
		}
	}
	return without
}

// name returns the name of a file for the reader.
func (b *builder) name(file string) string {
	return printable.Inline(present.FileName(b.Verdict, b.Module, file))
}

// placeFrom returns a place as it is written in the file from: "31", or "stream.go:31" for another file.
func (b *builder) placeFrom(p sourceLine, from string) string {
	if p.file == from {
		return fmt.Sprint(p.line)
	}
	return fmt.Sprintf("%s:%d", b.name(p.file), p.line)
}

func (b *builder) problem(p verdict.Problem) problem {
	shown := problem{Place: printable.Inline(p.Place()),
		Message: present.Shorten(printable.Clean(p.Message), 10*maxText)}
	if lines := code(p.File, present.Text(b.Source, p.File)); p.Line >= 1 && p.Line <= len(lines) {
		shown.Code = template.HTML(strings.TrimLeft(string(lines[p.Line-1]), " \t"))
	}
	return shown
}
