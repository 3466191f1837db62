package heapprofile

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/pprof/profile"

	"onthestack/internal/owncode/userpkg"
	stacks "onthestack/internal/profile"
)

// A stack is a sample of objects of 10 bytes: its frames from the outermost, "example.com/m.handle m.go:3", and how
// many objects there are.
type stack struct {
	frames  string
	objects int64
}

// explained returns the report of a profile at rate 1 of module example.com/m, which is not compiled.
func explained(t *testing.T, o Options, samples ...stack) *Report {
	t.Helper()
	data := &profile.Profile{Period: 1, PeriodType: &profile.ValueType{Type: "space", Unit: "bytes"},
		SampleType: []*profile.ValueType{{Type: "alloc_objects"}, {Type: "alloc_space"}}}
	for _, s := range samples {
		sample := &profile.Sample{Value: []int64{s.objects, 10 * s.objects}}
		for _, text := range strings.Split(s.frames, "; ") {
			var name, file string
			var line int64
			if n, err := fmt.Sscanf(strings.Replace(text, ":", " ", 1), "%s %s %d", &name, &file, &line); n != 3 {
				t.Fatalf("%s: %v", text, err)
			}
			f := &profile.Function{Name: name, Filename: "/src/" + stacks.PackageOf(name) + "/" + file}
			data.Function = append(data.Function, f)
			l := &profile.Location{Line: []profile.Line{{Function: f, Line: line}}}
			data.Location = append(data.Location, l)
			sample.Location = append([]*profile.Location{l}, sample.Location...)
		}
		data.Sample = append(data.Sample, sample)
	}
	p, err := newProfile(data)
	if err != nil {
		t.Fatal(err)
	}
	module := userpkg.Module{Path: "example.com/m"}
	e := &explainer{
		Options: o, profile: p, framer: newFramer("main", p), lines: map[place]*lineSum{}, outside: map[string]*Outside{},
		packages: &packages{modules: []userpkg.Module{module}, byPath: map[string]userpkg.Metadata{
			"example.com/m": {}, "example.com/m/store": {}}},
		report:  &Report{Per: o.Per, Rate: p.Rate, texts: map[string][]byte{}},
		sources: &sources{texts: map[string]map[string][]byte{}, parsed: map[[2]string]map[string]declared{}},
	}
	if e.entries, err = p.entries(false, nil); err != nil {
		t.Fatal(err)
	}
	if o.Base != nil {
		base, err := o.Base.entries(false, nil)
		if err != nil {
			t.Fatal(err)
		}
		e.entries = subtract(e.entries, base, e.framer)
	}
	e.charge()
	e.finish()
	e.report.Tree = e.tree()
	e.report.Notes = e.report.Notes[1:] // that the program is not given
	return e.report
}

// drawn returns a tree as text, a line for each node.
func drawn(n *Node, margin string) (text string) {
	name := n.Func + n.Package
	switch {
	case n.Line != nil:
		name = fmt.Sprintf("%s:%d", n.Line.File, n.Line.Line)
	case n.Outside:
		name = "outside"
	}
	if len(n.Via) > 0 {
		name += " via " + strings.Join(n.Via, ", ")
	}
	text = fmt.Sprintf("%s%s %v %v %d\n", margin, name, n.Objects, n.Bytes, n.Samples)
	for _, c := range n.Children {
		text += drawn(c, margin+" ")
	}
	return text
}

const server = "runtime.goexit asm.s:1; net/http.(*conn).serve server.go:1; " +
	"net/http.HandlerFunc.ServeHTTP server.go:2; "

// TestTree proves which calls are in a tree, and that each object is counted once on each level.
func TestTree(t *testing.T) {
	for name, test := range map[string]struct {
		options Options
		stacks  []stack
		want    string
	}{
		"a handler is at the root": {Options{}, []stack{
			{server + "example.com/m.handle m.go:3; example.com/m/store.Find store.go:7; runtime.concatstrings string.go:1", 3},
			{server + "example.com/m.handle m.go:4", 1},
		}, `
 4 40 4
 m.handle 4 40 4
  store.Find 3 30 3
   example.com/m/store/store.go:7 3 30 3
  example.com/m/m.go:4 1 10 1
`},
		"calls of other packages in between": {Options{}, []stack{
			{server + "example.com/m.handle m.go:3; encoding/json.Marshal j.go:1; encoding/json.encode j.go:2; " +
				"reflect.Value.call r.go:1; example.com/m.T.MarshalJSON m.go:9; fmt.Sprint f.go:1", 2},
			{"example.com/m.handle m.go:3; example.com/m.T.MarshalJSON m.go:9", 1},
		}, `
 3 30 3
 m.handle 3 30 3
  m.T.MarshalJSON via encoding/json, reflect 2 20 2
   example.com/m/m.go:9 2 20 2
  m.T.MarshalJSON 1 10 1
   example.com/m/m.go:9 1 10 1
`},
		"recursion": {Options{}, []stack{
			{"example.com/m.walk m.go:3; example.com/m.each m.go:6; example.com/m.walk m.go:4", 1},
			{"example.com/m.walk m.go:3; example.com/m.walk m.go:3; example.com/m.leaf m.go:9", 1},
			{"example.com/m.walk m.go:3", 1},
		}, `
 3 30 3
 m.walk 3 30 3
  example.com/m/m.go:3 1 10 1
  example.com/m/m.go:4 1 10 1
  m.leaf 1 10 1
   example.com/m/m.go:9 1 10 1
`},
		"what the compiler writes": {Options{}, []stack{
			{"example.com/m.start.gowrap1 m.go:3; example.com/m.work m.go:5; slices.Values[...] iter.go:1; " +
				"example.com/m.work-range1 m.go:6", 1},
		}, `
 1 10 1
 m.work 1 10 1
  example.com/m/m.go:6 1 10 1
`},
		"no line of the module": {Options{Per: &Per{"requests", 10}}, []stack{
			{"main.main x.go:1; example.com/other.F x.go:2", 20},
			{"runtime.main x.go:1", 10},
			{"example.com/m.F m.go:2", 10},
		}, `
 4 40 40
 outside 3 30 30
  example.com/other 2 20 20
  runtime 1 10 10
 m.F 1 10 10
  example.com/m/m.go:2 1 10 10
`},
	} {
		t.Run(name, func(t *testing.T) {
			r := explained(t, test.options, test.stacks...)
			if got := "\n" + drawn(r.Tree, ""); got != test.want {
				t.Errorf("got%s\nwant%s", got, test.want)
			}
			if r.Tree.Bytes != r.Bytes || r.Tree.Objects != r.Objects {
				t.Errorf("the root has %v objects, %v bytes, and the report %v, %v", r.Tree.Objects, r.Tree.Bytes, r.Objects,
					r.Bytes)
			}
		})
	}
}

// TestTreeBounds proves that a tree has no more calls than its limits allow, and still all bytes at its root.
func TestTreeBounds(t *testing.T) {
	var deep strings.Builder
	for i := range 200 {
		fmt.Fprintf(&deep, "example.com/m.f%d m.go:%d; ", i, i+1)
	}
	r := explained(t, Options{}, stack{deep.String() + "example.com/m.last m.go:300", 1})
	depth := 0
	n := r.Tree
	for ; len(n.Children) > 0; n = n.Children[0] {
		depth++
	}
	if depth != maxTreeDepth+1 || n.Line == nil || n.Line.Line != 300 {
		t.Errorf("%d nodes lead to %+v", depth, n.Line)
	}
	was := maxTreeNodes
	t.Cleanup(func() { maxTreeNodes = was })
	maxTreeNodes = 10
	var samples []stack
	for i := range 100 {
		samples = append(samples, stack{fmt.Sprintf("example.com/m.f%d m.go:%d", i, i+1), int64(1 + i)})
	}
	r = explained(t, Options{}, samples...)
	if n := strings.Count(drawn(r.Tree, ""), "\n"); n != 11 || r.Tree.Bytes != r.Bytes ||
		r.Tree.Children[0].Objects != 100 || len(r.Notes) != 1 || !strings.Contains(r.Notes[0], "more than 10 calls") {
		t.Errorf("%d nodes, %v of %v bytes, %q", n, r.Tree.Bytes, r.Bytes, r.Notes)
	}
}
