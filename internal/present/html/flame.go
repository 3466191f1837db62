package html

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"onthestack/internal/present"
	"onthestack/internal/printable"
	"onthestack/internal/verdict"
	"onthestack/internal/why"
)

// A flame has the flame graphs of one benchmark. Below the benchmark are function, line, callees from the outermost,
// and the kind of reason.
type flame struct {
	Benchmark string
	Total     present.Figure
	Graphs    []graph // by allocs/op, by B/op
	Rows      []flameRow
	MoreRows  int
}

// A graph is a flame graph whose frames are as wide as one unit measures.
type graph struct {
	Class  string // the switch that shows it
	Unit   string
	Height int
	Frames []frame
}

// A frame is a box of a graph. X and Width are in percent of the graph's width, Y is in pixels.
type frame struct {
	X, Width string
	Y        int
	Label    string // "" if it would not be legible
	Title    string
	ID       string // anchor of the line; "" for none
	Group    present.Group
}

// A flameRow is a line of the table that says in text what the graph shows.
type flameRow struct {
	Function, Place, ID, Code, Kind string
	Figure                          present.Figure
	Allocs, Bytes                   float64 // shares of the benchmark's, from 0 to 1
}

const (
	frameHeight = 24
	maxDepth    = 10     // callees
	maxFrames   = 2500   // in all graphs
	maxRows     = 800    // in all tables
	maxTitle    = 200    // characters of a reason
	maxGraphs   = 24     // benchmarks
	thinnest    = 0.0015 // least share of a graph's width that is drawn
	legible     = 0.015  // least share that has a label
)

// A node is a frame of the tree that draw lays out.
type node struct {
	label, title  string
	id            string
	group         present.Group
	allocs, bytes float64
	estimated     bool // allocs is an estimate
	children      []*node
}

func (n *node) add(allocs, bytes float64) {
	n.allocs += allocs
	n.bytes += bytes
}

func (n *node) child(label string) *node {
	for _, c := range n.children {
		if c.label == label {
			return c
		}
	}
	c := &node{label: label}
	n.children = append(n.children, c)
	return c
}

func (b *builder) flames(functions []present.Function) []flame {
	if !present.Measured(b.v) {
		return nil
	}
	var all []flame
	drawn := b.largest()
	benchmarks := max(1, len(drawn))
	frames, rows := maxFrames/benchmarks/2, maxRows/benchmarks
	if more := len(b.v.Benchmarks) - len(drawn); len(drawn) == maxGraphs && more > 0 {
		b.leaveOut("The flame graphs of %s.", present.Plural(more, "more benchmark"))
	}
	for _, bench := range b.v.Benchmarks {
		if !drawn[bench.Name] {
			continue
		}
		total := b.shares.Total(bench.Name)
		root := b.stacks(functions, bench.Name)
		f := flame{Benchmark: printable.Inline(bench.Name), Total: total}
		f.Rows, f.MoreRows = b.table(functions, bench.Name, rows)
		f.Graphs = []graph{
			draw(root, frames, "by-allocs", "allocs/op", func(n *node) float64 { return n.allocs }),
			draw(root, frames, "by-bytes", "B/op", func(n *node) float64 { return n.bytes }),
		}
		all = append(all, f)
	}
	return all
}

// largest returns the benchmarks whose graphs are drawn: of all benchmarks that allocate, the ones with the most
// allocations.
func (b *builder) largest() map[string]bool {
	list := slices.DeleteFunc(slices.Clone(b.v.Benchmarks), func(bench verdict.Benchmark) bool {
		total := b.shares.Total(bench.Name)
		return total.AllocsPerOp == 0 && total.BytesPerOp == 0
	})
	slices.SortStableFunc(list, func(x, y verdict.Benchmark) int { return cmp.Compare(y.AllocsPerOp, x.AllocsPerOp) })
	drawn := map[string]bool{}
	for _, bench := range list[:min(len(list), maxGraphs)] {
		drawn[bench.Name] = true
	}
	return drawn
}

// stacks returns the tree of a benchmark.
func (b *builder) stacks(functions []present.Function, benchmark string) *node {
	total := b.shares.Total(benchmark)
	root := &node{label: printable.Inline(benchmark), allocs: total.AllocsPerOp, bytes: total.BytesPerOp}
	for _, f := range functions {
		fn := &node{label: printable.Inline(f.Name), group: "function"}
		for _, l := range f.Lines {
			line := &node{id: b.anchor(sourceLine{l.File, l.Number})}
			for _, a := range l.Allocations {
				if a.Benchmark == benchmark {
					line.push(a)
				}
			}
			if line.allocs > 0 || line.bytes > 0 {
				line.label = fmt.Sprintf("%d  %s", l.Number, present.Shorten(printable.Inline(l.Code), 120))
				fn.add(line.allocs, line.bytes)
				fn.children = append(fn.children, line)
			}
		}
		if len(fn.children) > 0 {
			fn.id = fn.children[0].id
			root.children = append(root.children, fn)
		}
	}
	// The rest is allocated on no line of the package, or on lines that the page leaves out.
	var onLines node
	for _, c := range root.children {
		onLines.add(c.allocs, c.bytes)
	}
	allocs, bytes := max(0, total.AllocsPerOp-onLines.allocs), max(0, total.BytesPerOp-onLines.bytes)
	if allocs > total.AllocsPerOp/200 || bytes > total.BytesPerOp/200 {
		root.children = append(root.children, &node{label: "elsewhere: on no line shown here", group: present.Outside,
			allocs: allocs, bytes: bytes})
	}
	return root
}

// push adds an allocation to its line: below the line all its callees, below them the kind of reason.
func (n *node) push(a verdict.Allocation) {
	rule := present.RuleOf(a.Kind)
	if n.group == "" {
		n.group = rule.Group
	}
	n.add(a.AllocsPerOp, a.BytesPerOp)
	calls := a.Calls
	if len(calls) == 0 { // a verdict that was read from JSON
		calls = []why.Call{{
			Callees: a.Callees, AllocsPerOp: a.AllocsPerOp, BytesPerOp: a.BytesPerOp, Estimated: a.Shared, Kind: a.Kind,
			Why: a.Why,
		}}
	}
	for _, c := range calls {
		n.pushCall(c)
	}
}

func (n *node) pushCall(c why.Call) {
	at := n
	for i, callee := range c.Callees {
		cut := i == maxDepth && len(c.Callees) > i+1
		if cut {
			callee = "… " + present.Plural(len(c.Callees)-i, "more call")
		}
		at = at.child(printable.Inline(callee))
		at.id, at.group = n.id, present.Called
		at.add(c.AllocsPerOp, c.BytesPerOp)
		at.estimated = at.estimated || c.Estimated
		if cut {
			break
		}
	}
	if rule := present.RuleOf(c.Kind); c.Kind != why.Callee {
		at = at.child(rule.Title)
		at.id, at.group, at.title = n.id, rule.Group, present.Shorten(printable.Inline(c.Why), maxTitle)
		at.add(c.AllocsPerOp, c.BytesPerOp)
		at.estimated = at.estimated || c.Estimated
	}
}

// draw lays out a tree in about that many frames, the root at the top and the widest child first.
func draw(root *node, frames int, class, unit string, weight func(*node) float64) graph {
	g := graph{Class: class, Unit: unit}
	total := weight(root)
	if total <= 0 {
		return g
	}
	var lay func(n *node, x float64, depth int)
	put := func(n *node, x, width float64, depth int) {
		about := ""
		if n.estimated {
			about = "about "
		}
		title := fmt.Sprintf("%s: %s%s, %s B/op, %s of %s by %s", n.label, about, verdict.FormatAllocs(n.allocs),
			verdict.FormatBytes(n.bytes), present.Percent(width), root.label, unit)
		if n.title != "" {
			title += "; " + n.title
		}
		label := n.label
		if width < legible {
			label = ""
		}
		g.Frames = append(g.Frames, frame{X: percent(x), Width: percent(width), Y: depth * frameHeight, Label: label,
			Title: title, ID: n.id, Group: n.group})
		g.Height = max(g.Height, (depth+1)*frameHeight)
	}
	lay = func(n *node, x float64, depth int) {
		put(n, x, weight(n)/total, depth)
		children := slices.Clone(n.children)
		slices.SortStableFunc(children, func(a, b *node) int { return cmp.Compare(weight(b), weight(a)) })
		narrow := &node{group: present.Outside}
		count := 0
		for _, c := range children {
			width := weight(c) / total
			switch {
			case width == 0:
				continue
			case width < thinnest || len(g.Frames) >= frames:
				narrow.add(c.allocs, c.bytes)
				count++
				continue
			}
			lay(c, x, depth+1)
			x += width
		}
		if count > 0 {
			narrow.label = fmt.Sprintf("%d more, too narrow to draw", count)
			put(narrow, x, weight(narrow)/total, depth+1)
		}
	}
	lay(root, 0, 0)
	return g
}

func percent(part float64) string {
	return strings.TrimSuffix(strings.TrimRight(fmt.Sprintf("%.3f", min(part, 1)*100), "0"), ".") + "%"
}

// table returns at most that many lines of a benchmark, with the most allocs/op first, and the number of other lines.
func (b *builder) table(functions []present.Function, benchmark string, most int) (rows []flameRow, more int) {
	total := b.shares.Total(benchmark)
	for _, f := range functions {
		for _, l := range f.Lines {
			sum := present.Figure{Benchmark: benchmark}
			var kinds []string
			for _, a := range l.Allocations {
				if a.Benchmark != benchmark {
					continue
				}
				sum.AllocsPerOp += a.AllocsPerOp
				sum.BytesPerOp += a.BytesPerOp
				if title := present.RuleOf(a.Kind).Title; !slices.Contains(kinds, title) {
					kinds = append(kinds, title)
				}
			}
			if len(kinds) == 0 {
				continue
			}
			r := flameRow{Function: f.Name, ID: b.anchor(sourceLine{l.File, l.Number}),
				Place: fmt.Sprintf("%s:%d", printable.Inline(l.File), l.Number),
				Code:  present.Shorten(printable.Inline(l.Code), 120), Figure: sum}
			r.Kind = strings.Join(kinds, ", ")
			if total.AllocsPerOp > 0 {
				r.Allocs = sum.AllocsPerOp / total.AllocsPerOp
			}
			if total.BytesPerOp > 0 {
				r.Bytes = sum.BytesPerOp / total.BytesPerOp
			}
			rows = append(rows, r)
		}
	}
	slices.SortStableFunc(rows, func(a, b flameRow) int {
		return cmp.Compare(b.Figure.AllocsPerOp, a.Figure.AllocsPerOp)
	})
	if len(rows) > most {
		return rows[:most], len(rows) - most
	}
	return rows, 0
}
