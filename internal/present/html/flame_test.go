package html

import (
	"fmt"
	"testing"

	"onthestack/internal/verdict"
	"onthestack/internal/why"
)

// TestFlameTree proves that below a line each path of calls is as wide as its own allocations. The path that allocates
// most does not get the width of all.
func TestFlameTree(t *testing.T) {
	line := &node{label: "line"}
	line.push(verdict.Allocation{
		AllocsPerOp: 10, BytesPerOp: 100, Kind: why.Callee, Callees: []string{"a.F", "a.g"},
		Calls: []why.Call{
			{Callees: []string{"a.F", "a.g"}, AllocsPerOp: 4, BytesPerOp: 10, Kind: why.Callee},
			{Callees: []string{"a.F", "a.h"}, AllocsPerOp: 3, BytesPerOp: 20, Kind: why.Callee},
			{Callees: []string{"b.G"}, AllocsPerOp: 2, BytesPerOp: 30, Kind: why.Callee},
			{AllocsPerOp: 1, BytesPerOp: 40, Kind: why.InterfaceBoxing, Why: "boxed"},
		},
	})
	var tree string
	var write func(n *node, margin string)
	write = func(n *node, margin string) {
		tree += fmt.Sprintf("%s%s %v %v\n", margin, n.label, n.AllocsPerOp, n.BytesPerOp)
		for _, c := range n.children {
			write(c, margin+" ")
		}
	}
	write(line, "")
	boxed := line.children[len(line.children)-1].label
	want := "line 10 100\n a.F 7 30\n  a.g 4 10\n  a.h 3 20\n b.G 2 30\n " + boxed + " 1 40\n"
	if tree != want || boxed == "" {
		t.Errorf("got\n%swant\n%s", tree, want)
	}
}
