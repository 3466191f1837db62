package profile_test

import (
	"fmt"

	"onthestack/internal/harness/wire"
	"onthestack/internal/profile"
)

func ExampleFold() {
	stacks := []wire.Stack{{Objects: 300, Size: 64, Frames: []wire.Frame{
		{Func: "runtime.makeslice", File: "runtime/slice.go", Line: 117},
		{Func: "example.com/stock.Names", File: "example.com/stock/stock.go", Line: 12},
		{Func: "example.com/stock.BenchmarkNames", File: "example.com/stock/stock_test.go", Line: 20},
	}}}
	// Allocations belong to lines of stock.go, which declares one function.
	find := func(file string, line int) (function string, ok bool) { return "Names", file == "stock.go" }
	for _, l := range profile.Fold(stacks, "example.com/stock", find) {
		fmt.Printf("%s:%d, %s: %g objects with %g bytes, by %s\n", l.File, l.Line, l.Func, l.Objects, l.Bytes,
			l.Causes[0].Func)
	}
	// Output: stock.go:12, Names: 300 objects with 19200 bytes, by runtime.makeslice
}
