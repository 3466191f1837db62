package heapprofile

import (
	"cmp"
	"math"
	"regexp"
	"slices"
	"strings"

	"github.com/google/pprof/profile"

	"onthestack/internal/why"
)

const (
	maxTreeDepth = 60 // calls that lead to a line
	maxVia       = 3  // packages of Node.Via
)

// maxTreeNodes limits the calls and lines of a tree. Tests lower it.
var maxTreeNodes = 50_000

// A Node is a call in the tree of calls, or a line that allocates. The figures of a call are the sums of what is below
// it; they are per unit if the report has one.
//
// A tree has the functions whose lines are shown. The calls in between, such as the ones with which a server reads a
// request and finds its handler, are left out, so that the handlers are near the root. A function that calls itself,
// directly or not, is there once: what its inner calls allocate is added to the outermost.
type Node struct {
	Func string // with the name of its package, "store.(*Index).Find"; "" for the root and for a line
	// File and Begin are where a function literal begins, because its name does not say; "" and 0 for other functions,
	// and if it is not known.
	File  string
	Begin int
	// Via are packages whose calls are left out between the caller and the function, outermost first.
	Via  []string
	Line *Line // the line of the report that allocates, nil for a call
	// Outside is true for the node that has what is allocated without a line of the module on the stack. Its children
	// are the packages that allocate.
	Outside bool
	Package string

	Objects, Bytes float64
	Samples        int64 // that the figures are scaled from
	Children       []*Node

	samples float64 // before they are rounded
}

// A treeEdge leads from a node to one of its children.
type treeEdge struct {
	parent *Node
	// function is the full name of a called function, or the package that allocates outside.
	function, via string
	line          *Line
	outside       bool
}

// A treeCall is a call on the way to a line.
type treeCall struct {
	frame
	via string // the packages of Node.Via, with a line feed between them
}

// A treeBuilder makes the tree of a report whose lines are complete but for the unit of their figures.
type treeBuilder struct {
	*explainer
	nodes map[treeEdge]*Node
	lines map[place]*Line
	path  []treeCall
	full  bool // some nodes are left out
}

// tree returns the calls that lead to the lines of the report. The root has the totals of the report, and the calls and
// lines that allocate most come first. The entries are sorted on the way.
func (e *explainer) tree() *Node {
	b := &treeBuilder{explainer: e, nodes: map[treeEdge]*Node{}, lines: map[place]*Line{}}
	shown := map[place]*Line{}
	for i := range e.report.Lines {
		l := &e.report.Lines[i]
		shown[place{l.Package, l.File, l.Line}] = l
	}
	for at, sum := range e.lines {
		b.lines[at] = shown[place{at.pkg, e.file(at.pkg, at.file), e.number(sum)}]
	}
	// If there are too many calls, the ones that allocate least are left out.
	slices.SortStableFunc(e.entries, func(x, y entry) int {
		return cmp.Compare(math.Abs(y.bytes), math.Abs(x.bytes))
	})
	root := &Node{}
	for _, entry := range e.entries {
		root.add(entry)
		b.add(root, entry)
	}
	if b.full {
		e.note("The tree of calls has more than %d calls and lines: the ones that allocate least are left out.", maxTreeNodes)
	}
	units := 1.0
	if e.Per != nil {
		units = e.Per.N
	}
	root.finish(units)
	return root
}

// number returns the line of a sum in the sources, as the report has it.
func (e *explainer) number(sum *lineSum) int {
	if e.compiled[sum.pkg] != nil {
		if number, changed := e.sources.find(sum.frame()); changed == "" {
			return number
		}
	}
	return sum.line
}

func (n *Node) add(e entry) {
	n.Objects += e.objects
	n.Bytes += e.bytes
	n.samples += e.sampled.Samples
}

// finish divides the figures by the number of units and sorts the children.
func (n *Node) finish(units float64) {
	n.Objects, n.Bytes, n.Samples = n.Objects/units, n.Bytes/units, int64(math.Round(n.samples))
	for _, c := range n.Children {
		c.finish(units)
	}
	slices.SortFunc(n.Children, func(x, y *Node) int {
		order := cmp.Or(cmp.Compare(y.Bytes, x.Bytes), cmp.Compare(y.Objects, x.Objects), cmp.Compare(x.Func, y.Func),
			slices.Compare(x.Via, y.Via), cmp.Compare(x.Package, y.Package))
		if order == 0 && x.Line != nil && y.Line != nil {
			order = cmp.Or(cmp.Compare(x.Line.File, y.Line.File), cmp.Compare(x.Line.Line, y.Line.Line))
		}
		return order
	})
}

// add adds an entry to the calls that lead to its line, and to the line.
func (b *treeBuilder) add(root *Node, e entry) {
	i, j, ok := b.charged(e.locations)
	if !ok {
		pkg := b.allocating(e.locations)
		outside := b.child(treeEdge{parent: root, outside: true}, e, func() Node { return Node{Outside: true} })
		if outside != nil {
			b.child(treeEdge{parent: outside, function: pkg}, e, func() Node { return Node{Package: pkg} })
		}
		return
	}
	at := root
	b.walk(e.locations[i:], j)
	for _, c := range b.path[:min(len(b.path), maxTreeDepth)] {
		at = b.child(treeEdge{parent: at, function: c.function, via: c.via}, e, func() Node { return b.call(c) })
		if at == nil {
			return
		}
	}
	f := b.at(e.locations[i]).frames[j]
	line := b.lines[place{f.pkg, f.file, f.line}]
	b.child(treeEdge{parent: at, line: line}, e, func() Node { return Node{Line: line} })
}

// child adds an entry to a child of a node, which is made if it is not there. It returns nil if there are too many
// nodes.
func (b *treeBuilder) child(edge treeEdge, e entry, node func() Node) *Node {
	n := b.nodes[edge]
	if n == nil {
		if len(b.nodes) >= maxTreeNodes {
			b.full = true
			return nil
		}
		made := node()
		n = &made
		b.nodes[edge] = n
		edge.parent.Children = append(edge.parent.Children, n)
	}
	n.add(e)
	return n
}

// wrapper matches the end of the name of a function that the compiler writes for a go or defer statement.
var wrapper = regexp.MustCompile(`\.(gowrap|deferwrap)\d+$`)

// rangeBody matches the end of the name of a loop's body, which the compiler passes to an iterator.
var rangeBody = regexp.MustCompile(`(-range\d+)+$`)

// walk sets the path to the functions of a stack whose lines are shown, outermost first. The first location has the
// charged frame at an index.
func (b *treeBuilder) walk(locations []*profile.Location, index int) {
	b.path = b.path[:0]
	var via []string
	for i := len(locations) - 1; i >= 0; i-- {
		frames := b.at(locations[i]).frames
		if i == 0 {
			frames = frames[index:]
		}
		for j := len(frames) - 1; j >= 0; j-- {
			f := frames[j]
			charged := i == 0 && j == 0
			switch {
			case !b.has(f):
				if len(b.path) > 0 && len(via) < maxVia && !f.isRuntime() && !slices.Contains(via, f.pkg) {
					via = append(via, f.pkg)
				}
				continue
			case !charged && strings.Contains(f.function, "wrap") && wrapper.MatchString(f.function):
				continue
			case strings.Contains(f.function, "-range"):
				f.function = rangeBody.ReplaceAllString(f.function, "")
			}
			known := slices.IndexFunc(b.path, func(c treeCall) bool { return c.function == f.function })
			if known >= 0 {
				b.path = b.path[:known+1]
			} else {
				b.path = append(b.path, treeCall{f, strings.Join(via, "\n")})
			}
			via = via[:0]
		}
	}
}

// call returns the node of a call.
func (b *treeBuilder) call(c treeCall) Node {
	n := Node{Func: b.report.Short(c.function)}
	if c.via != "" {
		n.Via = strings.Split(c.via, "\n")
	}
	if why.Outermost(c.local()) != c.local() && c.start > 0 && b.compiled[c.pkg] != nil {
		begin := c.frame
		begin.line = c.start
		if line, changed := b.sources.find(begin); changed == "" {
			n.File, n.Begin = b.file(c.pkg, c.file), line
		}
	}
	return n
}
