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
	present.Figure
	label, title string
	id           string
	group        present.Group
	estimated    bool // AllocsPerOp is an estimate
	children     []*node
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

// flames returns the flame graphs of the benchmarks that allocate.
func (b *builder) flames(functions []present.Function) []flame {
	drawn := slices.DeleteFunc(slices.Clone(b.Verdict.Benchmarks), func(m verdict.Benchmark) bool {
		total := b.shares[m.Name]
		return total.AllocsPerOp == 0 && total.BytesPerOp == 0
	})
	if more := len(drawn) - maxGraphs; more > 0 {
		b.leaveOut("The flame graphs of %s.", present.Plural(more, "more benchmark"))
		least := slices.SortedStableFunc(slices.Values(drawn), func(x, y verdict.Benchmark) int {
			return cmp.Compare(x.AllocsPerOp, y.AllocsPerOp)
		})[:more]
		drawn = slices.DeleteFunc(drawn, func(m verdict.Benchmark) bool {
			return slices.ContainsFunc(least, func(l verdict.Benchmark) bool { return l.Name == m.Name })
		})
	}
	var all []flame
	for _, m := range drawn {
		all = append(all, b.flame(functions, m.Name, maxFrames/len(drawn)/2, maxRows/len(drawn)))
	}
	return all
}

// flame returns the graphs of a benchmark, each with about that many frames, and at most that many rows of its table.
func (b *builder) flame(functions []present.Function, benchmark string, frames, rows int) flame {
	total := b.shares[benchmark]
	graphs := flame{Benchmark: printable.Inline(benchmark), Total: total}
	root := &node{label: graphs.Benchmark, Figure: total}
	// What is allocated on no line of the package, or on lines that the page leaves out.
	rest := &node{label: "elsewhere: on no line shown here", group: present.Outside, Figure: total}
	for _, f := range functions {
		fn := &node{label: printable.Inline(f.Name), group: "function"}
		for _, l := range f.Lines {
			line := &node{id: b.anchor(sourceLine{l.File, l.Number})}
			var kinds []string
			for _, a := range l.Allocations {
				if a.Benchmark != benchmark {
					continue
				}
				line.push(a)
				if title := present.RuleOf(a.Kind).Title; !slices.Contains(kinds, title) {
					kinds = append(kinds, title)
				}
			}
			if len(kinds) == 0 {
				continue
			}
			code := inline(l.Code, 120)
			line.label = fmt.Sprintf("%d  %s", l.Number, code)
			fn.Add(line.AllocsPerOp, line.BytesPerOp)
			fn.children = append(fn.children, line)
			graphs.Rows = append(graphs.Rows, flameRow{Function: f.Name, ID: line.id, Code: code,
				Place: fmt.Sprintf("%s:%d", printable.Inline(l.File), l.Number), Kind: strings.Join(kinds, ", "),
				Figure: line.Figure})
		}
		if len(fn.children) > 0 {
			fn.id = fn.children[0].id
			root.children = append(root.children, fn)
			rest.Add(-fn.AllocsPerOp, -fn.BytesPerOp)
		}
	}
	rest.AllocsPerOp, rest.BytesPerOp = max(0, rest.AllocsPerOp), max(0, rest.BytesPerOp)
	if rest.AllocsPerOp > total.AllocsPerOp/200 || rest.BytesPerOp > total.BytesPerOp/200 {
		root.children = append(root.children, rest)
	}
	slices.SortStableFunc(graphs.Rows, func(a, b flameRow) int {
		return cmp.Compare(b.Figure.AllocsPerOp, a.Figure.AllocsPerOp)
	})
	if graphs.MoreRows = max(0, len(graphs.Rows)-rows); graphs.MoreRows > 0 {
		graphs.Rows = graphs.Rows[:rows]
	}
	for _, l := range []layout{
		{class: "by-allocs", unit: "allocs/op", weight: func(n *node) float64 { return n.AllocsPerOp }},
		{class: "by-bytes", unit: "B/op", weight: func(n *node) float64 { return n.BytesPerOp }},
	} {
		l.frames = frames
		l.figures = func(n *node, share float64) string {
			about := ""
			if n.estimated {
				about = "about "
			}
			return fmt.Sprintf("%s%s, %s of %s by %s", about, verdict.FormatFigures(n.AllocsPerOp, n.BytesPerOp),
				present.Percent(share), root.label, l.unit)
		}
		graphs.Graphs = append(graphs.Graphs, l.draw(root))
	}
	return graphs
}

// push adds an allocation to its line: below the line all its callees, below them the kind of reason.
func (n *node) push(a verdict.Allocation) {
	n.group = cmp.Or(n.group, present.RuleOf(a.Kind).Group)
	n.Add(a.AllocsPerOp, a.BytesPerOp)
	for _, c := range a.Calls {
		n.pushCall(c)
	}
	if len(a.Calls) == 0 { // a verdict that was read from JSON
		n.pushCall(why.Call{Callees: a.Callees, AllocsPerOp: a.AllocsPerOp, BytesPerOp: a.BytesPerOp,
			Estimated: a.Shared, Kind: a.Kind, Why: a.Why})
	}
}

// pushCall adds a path of calls and, below it, the kind of reason.
func (n *node) pushCall(c why.Call) {
	at := n
	below := func(label string, group present.Group) {
		at = at.child(label)
		at.id, at.group = n.id, group
		at.Add(c.AllocsPerOp, c.BytesPerOp)
		at.estimated = at.estimated || c.Estimated
	}
	for i, callee := range c.Callees {
		if i == maxDepth && len(c.Callees) > i+1 {
			below("… "+present.Plural(len(c.Callees)-i, "more call"), present.Called)
			break
		}
		below(printable.Inline(callee), present.Called)
	}
	if rule := present.RuleOf(c.Kind); c.Kind != why.Callee {
		below(rule.Title, rule.Group)
		at.title = inline(c.Why, maxTitle)
	}
}

// A layout says how a tree is drawn.
type layout struct {
	class, unit string
	frames      int // about so many
	weight      func(*node) float64
	// figures returns what a frame has, and which share of the whole that is.
	figures func(n *node, share float64) string
}

// draw lays out a tree, the root at the top and the widest child first.
func (l layout) draw(root *node) graph {
	g := graph{Class: l.class, Unit: l.unit}
	total := l.weight(root)
	if total <= 0 {
		return g
	}
	var lay func(n *node, x float64, depth int)
	lay = func(n *node, x float64, depth int) {
		width := l.weight(n) / total
		f := frame{X: percent(x), Width: percent(width), Y: depth * frameHeight, ID: n.id, Group: n.group}
		if width >= legible {
			f.Label = n.label
		}
		f.Title = n.label + ": " + l.figures(n, width)
		if n.title != "" {
			f.Title += "; " + n.title
		}
		g.Frames = append(g.Frames, f)
		g.Height = max(g.Height, (depth+1)*frameHeight)
		children := slices.Clone(n.children)
		slices.SortStableFunc(children, func(a, b *node) int { return cmp.Compare(l.weight(b), l.weight(a)) })
		narrow := &node{group: present.Outside}
		count := 0
		for _, c := range children {
			width := l.weight(c) / total
			switch {
			case width == 0:
			case width < thinnest || len(g.Frames) >= l.frames:
				narrow.Add(c.AllocsPerOp, c.BytesPerOp)
				count++
			default:
				lay(c, x, depth+1)
				x += width
			}
		}
		if count > 0 {
			narrow.label = fmt.Sprintf("%d more, too narrow to draw", count)
			lay(narrow, x, depth+1)
		}
	}
	lay(root, 0, 0)
	return g
}

func percent(part float64) string {
	return strings.TrimSuffix(strings.TrimRight(fmt.Sprintf("%.3f", min(part, 1)*100), "0"), ".") + "%"
}
