package html

import (
	"fmt"
	"html/template"
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
	v             *verdict.Verdict
	source        present.Source
	module        string // its path
	shares        present.Shares
	files         []string
	index         map[string]int // index in files by name
	code          map[string][]template.HTML
	diagnosticsAt map[sourceLine][]diagnostic
	causes        map[sourceLine][]link
	more          map[sourceLine]int  // number of causes that are not listed
	shown         map[sourceLine]bool // lines with an anchor
	noNotes       map[sourceLine]bool // lines that allocate and whose notes are left out
	leftOut       []string
}

// A sourceLine is a line of a file.
type sourceLine struct {
	file string
	line int
}

func build(v *verdict.Verdict, o Options) document {
	b := &builder{
		v: v, source: o.Source, module: o.Module, shares: present.SharesOf(v), index: map[string]int{},
		code:          map[string][]template.HTML{},
		diagnosticsAt: map[sourceLine][]diagnostic{}, causes: map[sourceLine][]link{}, more: map[sourceLine]int{},
		shown:   map[sourceLine]bool{},
		noNotes: map[sourceLine]bool{},
	}
	d := document{
		Verdict: v, Heading: present.Shorten(present.Heading(v), 200),
		Platform: present.Shorten(present.Platform(v), 200),
		Command:  printable.Inline(o.Command),
		Measured: present.Measured(v), Stages: stages(v), Legend: legend,
		Timed: slices.ContainsFunc(v.Benchmarks, func(m verdict.Benchmark) bool { return len(m.NsSamples) > 1 }),
		Shared: slices.ContainsFunc(slices.Concat(v.Allocations, v.Inside),
			func(a verdict.Allocation) bool { return a.Shared }),
	}
	own := present.Functions(v, o.Source)
	all := b.bounded(slices.Concat(own, present.Inside(v, o.Source)))
	functions, inside := all[:min(len(own), len(all))], all[min(len(own), len(all)):]
	b.readSources(inside)
	b.diagnostics()
	b.setAnchors(all)
	for _, p := range v.Errors {
		d.Problems = append(d.Problems, b.problem(p))
	}
	for i, f := range all {
		shown := b.function(i, f)
		if i < len(functions) {
			shown.Open = i < opened
			d.Functions = append(d.Functions, shown)
		} else {
			shown.Open = i < len(functions)+openedInside
			d.Inside = append(d.Inside, shown)
		}
	}
	if len(d.Functions) > indexed+3 {
		d.More = d.Functions[indexed:]
	}
	d.Files = b.otherFiles(functions)
	d.Flames = b.flames(functions)
	d.LeftOut = b.leftOut
	return d
}

func stages(v *verdict.Verdict) []present.Stage {
	if v.Exercise == "" {
		return nil // a package has no stages to pass
	}
	return present.Stages(v)
}

// readSources reads and colors the files that the verdict names, and the files of other packages' functions.
func (b *builder) readSources(inside []present.Function) {
	seen := map[string]bool{}
	read := func(name string) {
		seen[name] = true
		if text := present.Text(b.source, name); len(text) > 0 {
			b.code[name] = code(name, text)
		}
	}
	add := func(name string) {
		if !seen[name] {
			read(name)
			b.files = append(b.files, name)
		}
	}
	for _, a := range b.v.Allocations {
		add(a.File)
	}
	for _, d := range b.v.Escapes {
		add(d.File)
		for _, s := range d.Flow {
			add(s.File)
		}
	}
	slices.Sort(b.files)
	for i, name := range b.files {
		b.index[name] = i
	}
	for _, f := range inside {
		if !seen[f.File] {
			read(f.File)
			b.index[f.File] = len(b.index)
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
	room := maxCode
	for _, f := range functions {
		if f.First > 0 {
			b.show(f.File, f.First, f.Last, &room)
		}
		for _, l := range f.Lines {
			if p := (sourceLine{l.File, l.Number}); !b.noNotes[p] {
				b.shown[p] = true
			}
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
			for i, s := range l.Steps() {
				to := sourceLine{s.File, s.Line}
				if i == maxSteps || to == from || !b.shown[to] || !b.shown[from] {
					continue
				}
				k := link{b.id(from), b.placeFrom(from, to.file), present.Shorten(printable.Inline(l.Code), 40)}
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
			*room -= len(b.code[file][n-1]) + lineMarkup
		default:
			without++
		}
	}
	return without
}

// name returns the name of a file for the reader.
func (b *builder) name(file string) string {
	return printable.Inline(present.FileName(b.v, b.module, file))
}

// placeFrom returns a place as it is written in the file from: "31", or "stream.go:31" for another file.
func (b *builder) placeFrom(p sourceLine, from string) string {
	if p.file == from {
		return fmt.Sprint(p.line)
	}
	return fmt.Sprintf("%s:%d", b.name(p.file), p.line)
}

func (b *builder) problem(p verdict.Problem) problem {
	text := printable.Inline(p.File)
	if p.Line > 0 {
		text += fmt.Sprintf(":%d", p.Line)
	}
	if p.Line > 0 && p.Col > 0 {
		text += fmt.Sprintf(":%d", p.Col)
	}
	shown := problem{Place: text, Message: present.Shorten(printable.Clean(p.Message), 10*maxText)}
	if lines := code(p.File, present.Text(b.source, p.File)); p.Line >= 1 && p.Line <= len(lines) {
		shown.Code = template.HTML(strings.TrimLeft(string(lines[p.Line-1]), " \t"))
	}
	return shown
}
