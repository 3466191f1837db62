package report

import (
	"cmp"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"

	"charm.land/lipgloss/v2"
	"github.com/charmbracelet/x/ansi"

	"onthestack/internal/owncode/heapprofile"
	"onthestack/internal/present"
	"onthestack/internal/printable"
)

// Limits on the tree in a terminal: nodes have at least this part of the bytes, and there are so many at most. A label
// has at least so many columns: a branch that is indented too far for one continues with its lines.
const (
	minBranch   = 0.01
	maxBranches = 60
	minLabel    = 26
)

// ProfileTree writes the calls of a heap profile from the handlers down to the lines that allocate. With a top, the
// tree leads to so many lines; otherwise small branches are folded. The report has a tree.
func ProfileTree(w io.Writer, r *heapprofile.Report, o ProfileOptions) {
	profileHead(w, r, o.Width)
	root := shownBranches(r, o.Top)
	t := newTreeWriter(w, r, o.Width)
	fmt.Fprintln(w, present.Faint.Render(strings.TrimRight(t.columns("share", "bytes", profileObjects(r)), " ")))
	t.below(root, "")
	fmt.Fprintln(w)
	if t.folded && o.Top == 0 {
		text := "Branches under 1 % of the bytes"
		if r.Rate != 1 {
			text += " or with fewer than ten samples"
		}
		fmt.Fprint(w, present.Indent(2, text+" are folded. --top 50 leads to the 50 lines that allocate most.", o.Width))
	}
	shown, _ := profileLines(r, o.Top)
	if n, ok := nextOf(r, shown, o.Command); ok {
		n.write(w, o.Width)
	}
}

// A branch is a node of the tree with the children that are shown.
type branch struct {
	*heapprofile.Node
	children []*branch
	folded   int // lines that are shown below no child
}

// shownBranches returns the branches that are shown of a report's tree.
func shownBranches(r *heapprofile.Report, top int) *branch {
	weights := map[*heapprofile.Node]float64{}
	weigh(r.Tree, weights)
	var all []*heapprofile.Node // callers before what they call
	preorder(r.Tree, func(n *heapprofile.Node) { all = append(all, n) })
	slices.SortStableFunc(all, func(a, b *heapprofile.Node) int { return cmp.Compare(weights[b], weights[a]) })
	shown := map[*heapprofile.Node]bool{}
	for _, n := range all {
		few := r.Rate != 1 && n.Samples < heapprofile.FewSamples
		large := weights[n] >= minBranch*weights[r.Tree] && !few && len(shown) < maxBranches
		if top > 0 && isLine(n) && len(shown) < top || top == 0 && large {
			shown[n] = true
		}
	}
	return prune(r.Tree, shown)
}

// weigh sets for each node the sum of what its lines allocate. Lines of which the base has more count too, so that a
// caller weighs as much as what it calls.
func weigh(n *heapprofile.Node, weights map[*heapprofile.Node]float64) float64 {
	sum := 0.0
	if len(n.Children) == 0 {
		sum = math.Abs(n.Bytes)
	}
	for _, c := range n.Children {
		sum += weigh(c, weights)
	}
	weights[n] = sum
	return sum
}

func preorder(n *heapprofile.Node, f func(*heapprofile.Node)) {
	f(n)
	for _, c := range n.Children {
		preorder(c, f)
	}
}

// isLine reports whether a node is no call, but a line or a package outside that allocates.
func isLine(n *heapprofile.Node) bool { return n.Line != nil || n.Package != "" }

// prune returns a node with the children that are kept, or have a descendant that is.
func prune(n *heapprofile.Node, shown map[*heapprofile.Node]bool) *branch {
	b := &branch{Node: n}
	for _, c := range n.Children {
		below := prune(c, shown)
		if shown[c] || len(below.children) > 0 {
			b.children = append(b.children, below)
			continue
		}
		preorder(c, func(n *heapprofile.Node) {
			if isLine(n) {
				b.folded++
			}
		})
	}
	return b
}

// lines returns the lines below a branch that are shown, most bytes first.
func (b *branch) lines() (lines []*branch, folded int) {
	folded = b.folded
	for _, c := range b.children {
		if isLine(c.Node) {
			lines = append(lines, c)
			continue
		}
		below, more := c.lines()
		lines, folded = append(lines, below...), folded+more
	}
	slices.SortStableFunc(lines, func(a, b *branch) int { return cmp.Compare(b.Bytes, a.Bytes) })
	return lines, folded
}

// outsideLabel names what is allocated on no line that is shown.
const outsideLabel = "no line of the module"

// A treeWriter writes a tree in columns: share, bytes, objects, and the calls.
type treeWriter struct {
	io.Writer
	report  *heapprofile.Report
	objects int // columns for a number of objects
	room    int // columns for the calls
	folded  bool
}

func newTreeWriter(w io.Writer, r *heapprofile.Report, width int) *treeWriter {
	t := &treeWriter{Writer: w, report: r, objects: max(len("objects"), len(profileCount(r.Objects)))}
	t.room = width - len(t.columns("", "", ""))
	return t
}

func (t *treeWriter) columns(share, bytes, objects string) string {
	return fmt.Sprintf("  %5s  %8s  %*s  ", share, bytes, t.objects, objects)
}

// row writes the figures of a call or a line, and what it is.
func (t *treeWriter) row(bytes, objects float64, lead, label string) {
	share := ""
	if total := t.report.Bytes; total > 0 && bytes >= 0 {
		share = present.Percent(bytes / total)
		if strings.HasPrefix(share, "under") {
			share = "<1 %"
		}
	}
	label = ansi.Truncate(label, max(0, t.room-lipgloss.Width(lead)), "…")
	figures := t.columns(share, profileBytes(bytes), profileCount(objects))
	fmt.Fprintf(t, "%s%s%s\n", figures, present.Faint.Render(lead), label)
}

// below writes what is below a branch, behind the margin of its callers.
func (t *treeWriter) below(b *branch, margin string) {
	children, folded, deep := b.children, b.folded, ""
	if t.room-lipgloss.Width(margin) < minLabel {
		if lines, more := b.lines(); len(lines) > len(children) || !slices.Equal(lines, children) {
			children, folded, deep = lines, more, "… "
		}
	}
	fork, through, last, after := "├─ ", "│  ", "╰─ ", "   "
	if b.Node == t.report.Tree {
		fork, through, last, after = "", "", "", ""
	}
	rest := *b.Node
	for i, c := range children {
		rest.Bytes, rest.Objects = rest.Bytes-c.Bytes, rest.Objects-c.Objects
		if i == len(children)-1 && folded == 0 {
			fork, through = last, after
		}
		t.branch(c, margin+fork+deep, margin+through)
	}
	if folded == 0 {
		return
	}
	t.folded = true
	what := "line"
	if b.Outside {
		what = "package"
	}
	if len(children) > 0 {
		what = "more " + what
	}
	t.row(rest.Bytes, rest.Objects, margin+last, present.Faint.Render(present.Plural(folded, what)))
}

// branch writes a branch. A call that only makes another one shares its row, if there is room.
func (t *treeWriter) branch(b *branch, lead, margin string) {
	room := t.room - lipgloss.Width(lead)
	label := t.label(b.Node, room)
	for len(b.children) == 1 && b.folded == 0 && b.children[0].Func != "" {
		chain := label + present.Faint.Render(" → ") + t.label(b.children[0].Node, room)
		if lipgloss.Width(chain) > room {
			break
		}
		label, b = chain, b.children[0]
	}
	t.row(b.Bytes, b.Objects, lead, label)
	t.below(b, margin)
}

// label returns what a node is. A line has the kind of its reason if there is room.
func (t *treeWriter) label(n *heapprofile.Node, room int) string {
	switch {
	case n.Line != nil:
		label := printable.Inline(fmt.Sprintf("%s:%d", n.Line.File, n.Line.Line))
		if code := printable.Inline(n.Line.Code); code != "" {
			label += "  " + code
		}
		title := "  " + present.RuleOf(n.Line.Kind).Title
		if n.Line.Kind != "" && lipgloss.Width(label+title) <= room {
			label += present.Faint.Render(title)
		}
		return label
	case n.Outside:
		return outsideLabel
	case n.Package != "":
		return printable.Inline(n.Package)
	}
	label := present.Bold.Render(printable.Inline(n.Func))
	if place := printable.Inline(callPlace(n)); place != "" {
		label += present.Faint.Render(" " + place)
	}
	return label
}

// callPlace returns where a function literal begins, and through which packages it is called:
// "at main.go:41 via sort".
func callPlace(n *heapprofile.Node) string {
	var words []string
	if n.Begin > 0 {
		words = append(words, fmt.Sprintf("at %s:%d", n.File, n.Begin))
	}
	if len(n.Via) > 0 {
		words = append(words, "via "+present.List(n.Via, "and"))
	}
	return strings.Join(words, " ")
}
