package report

import (
	"bytes"
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"

	"onthestack/internal/owncode/heapprofile"
)

// call returns the node of a call, with the sums of its children.
func call(name string, children ...*heapprofile.Node) *heapprofile.Node {
	n := &heapprofile.Node{Func: name, Children: children}
	for _, c := range children {
		n.Objects, n.Bytes, n.Samples = n.Objects+c.Objects, n.Bytes+c.Bytes, n.Samples+c.Samples
	}
	return n
}

// withTree is sampled with a tree.
func withTree() *heapprofile.Report {
	r := sampled()
	leaf := func(i int, share float64) *heapprofile.Node {
		l := &r.Lines[i]
		return &heapprofile.Node{Line: l, Objects: l.Objects * share, Bytes: l.Bytes * share,
			Samples: int64(float64(l.Samples) * share)}
	}
	outside := call("", &heapprofile.Node{Package: "net/http", Objects: 9, Bytes: 1900, Samples: 50},
		&heapprofile.Node{Package: "runtime", Objects: 1, Bytes: 1, Samples: 1})
	outside.Outside = true
	literal := call("main.serve.func1", leaf(1, 1))
	literal.File, literal.Begin = "main.go", 29
	marshal := call("store.(*Item).MarshalJSON", call("store.Key", leaf(0, 0.2)))
	marshal.Via = []string{"encoding/json"}
	r.Tree = call("",
		call("main.find", call("store.(*Index).Find", call("store.Key", leaf(0, 0.8)), marshal)),
		literal, call("main.serve", leaf(2, 1)), outside)
	r.Tree.Objects, r.Tree.Bytes = r.Objects, r.Bytes
	return r
}

// Trees at several widths, and with a top.
const (
	tree80 = `  share     bytes   allocs
   40 %    4000 B    18.97  main.find → store.(*Index).Find
   32 %    3200 B    15.18  ├─ store.Key
   32 %    3200 B    15.18  │  ╰─ store/key.go:7  key := region + "/" + id
    8 %     800 B    3.794  ╰─ store.(*Item).MarshalJSON via encoding/json
    8 %     800 B    3.794     ╰─ store.Key
    8 %     800 B    3.794        ╰─ store/key.go:7  key := region + "/" + id
   30 %    3000 B       10  main.serve.func1 at main.go:29
   30 %    3000 B       10  ╰─ main.go:31
   19 %    1901 B       10  no line of the module
   19 %    1900 B        9  ├─ net/http
   <1 %       1 B        1  ╰─ 1 more package
   11 %    1099 B     1.03  1 more line
`
	tree160 = `  share     bytes   allocs
   40 %    4000 B    18.97  main.find → store.(*Index).Find
   32 %    3200 B    15.18  ├─ store.Key
   32 %    3200 B    15.18  │  ╰─ store/key.go:7  key := region + "/" + id  string concatenation
    8 %     800 B    3.794  ╰─ store.(*Item).MarshalJSON via encoding/json → store.Key
    8 %     800 B    3.794     ╰─ store/key.go:7  key := region + "/" + id  string concatenation
   30 %    3000 B       10  main.serve.func1 at main.go:29
   30 %    3000 B       10  ╰─ main.go:31
   19 %    1901 B       10  no line of the module
   19 %    1900 B        9  ├─ net/http
   <1 %       1 B        1  ╰─ 1 more package
   11 %    1099 B     1.03  1 more line
`
	// Where there is no room for more calls, their lines follow.
	tree56 = `  share     bytes   allocs
   40 %    4000 B    18.97  main.find
   40 %    4000 B    18.97  ╰─ store.(*Index).Find
   32 %    3200 B    15.18     ├─ … store/key.go:7  key…
    8 %     800 B    3.794     ╰─ … store/key.go:7  key…
   30 %    3000 B       10  main.serve.func1 at main.go…
   30 %    3000 B       10  ╰─ main.go:31
   19 %    1901 B       10  no line of the module
   19 %    1900 B        9  ├─ net/http
   <1 %       1 B        1  ╰─ 1 more package
   11 %    1099 B     1.03  1 more line
`
	treeTop = `  share     bytes   allocs
   40 %    4000 B    18.97  main.find → store.(*Index).Find
   32 %    3200 B    15.18  ├─ store.Key
   32 %    3200 B    15.18  │  ╰─ store/key.go:7  key := region + "/" + id
    8 %     800 B    3.794  ╰─ 1 more line
   60 %    6000 B    21.03  4 more lines
`
)

// TestProfileTree tests the tree, and that no line is wider than the terminal.
func TestProfileTree(t *testing.T) {
	for name, test := range map[string]struct {
		options ProfileOptions
		want    string
	}{
		"80":    {ProfileOptions{Width: 80}, tree80},
		"160":   {ProfileOptions{Width: 160}, tree160},
		"56":    {ProfileOptions{Width: 56}, tree56},
		"top 1": {ProfileOptions{Width: 80, Top: 1}, treeTop},
	} {
		t.Run(name, func(t *testing.T) {
			var out bytes.Buffer
			test.options.Command = "checkalloc"
			ProfileTree(&out, withTree(), test.options)
			text := ansi.Strip(out.String())
			for line := range strings.Lines(text) {
				if ansi.StringWidth(strings.TrimSuffix(line, "\n")) > test.options.Width {
					t.Errorf("wider than %d columns: %s", test.options.Width, line)
				}
			}
			_, tree, _ := strings.Cut(text, "\n\n  share")
			if tree, _, _ = strings.Cut("  share"+tree, "\n\n"); tree+"\n" != test.want {
				t.Errorf("got\n%s\nwant\n%s", tree, test.want)
			}
			folded := "Branches under 1 % of the bytes or with fewer than ten samples are folded."
			if one := strings.Join(strings.Fields(text), " "); strings.Contains(one, folded) != (test.options.Top == 0) {
				t.Errorf("what is folded is said or not:\n%s", text)
			}
		})
	}
}

// TestProfileTreeNegative proves that what a base has more of is shown with its own figures, and without a share.
func TestProfileTreeNegative(t *testing.T) {
	r := withTree()
	less := r.Tree.Children[2].Children[0]
	less.Bytes, less.Samples = -2000, 40
	r.Tree.Children[2].Bytes, r.Tree.Children[2].Samples = -2000, 40
	var out bytes.Buffer
	ProfileTree(&out, r, ProfileOptions{Width: 80, Command: "checkalloc"})
	if text := ansi.Strip(out.String()); !strings.Contains(text, "-2000 B        1  ╰─ main.go:40") {
		t.Error(text)
	}
}

// TestProfileTreeHostile proves that names cannot control a terminal.
func TestProfileTreeHostile(t *testing.T) {
	for _, payload := range payloads {
		r := withTree()
		rename(r, payload)
		for _, width := range []int{20, 80} {
			var out bytes.Buffer
			ProfileTree(&out, r, ProfileOptions{Width: width, Command: "checkalloc"})
			if text := ansi.Strip(out.String()); strings.ContainsAny(text, "\x00\x1b\r\u202e\u2066") {
				t.Errorf("%q", text)
			}
		}
	}
}

// rename puts a name into each place of a report that has text.
func rename(r *heapprofile.Report, name string) {
	r.Module, r.Go, r.GOOS, r.GOARCH, r.Revision = name, name, name, name, name
	r.Measure, r.Per = name, &heapprofile.Per{Unit: name, N: 3}
	r.Notes = []string{name}
	for i := range r.Lines {
		l := &r.Lines[i]
		l.Package, l.File, l.Func, l.Code, l.Why = name, name, name, name, name
		l.Callees, l.Benchmark = []string{name, name}, name
		for j := range l.Reasons {
			l.Reasons[j].Message, l.Reasons[j].Why = name, name
			for k := range l.Reasons[j].Flow {
				step := &l.Reasons[j].Flow[k]
				step.File, step.Message, step.Text = name, name, name
			}
		}
	}
	r.Lines[1].Changed = name
	for i := range r.Outside {
		r.Outside[i].Package = name
	}
	var all func(n *heapprofile.Node)
	all = func(n *heapprofile.Node) {
		if n.Func != "" {
			n.Func, n.File, n.Via = name, name, []string{name, name}
		}
		if n.Package != "" {
			n.Package = name
		}
		for _, c := range n.Children {
			all(c)
		}
	}
	all(r.Tree)
}
