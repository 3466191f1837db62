package why_test

import (
	"fmt"

	"onthestack/internal/escape"
	"onthestack/internal/harness/wire"
	"onthestack/internal/why"
)

func ExampleExplain() {
	diagnostics, _ := escape.Parse([]byte("stock.go:6:2: moved to heap: item\n"))
	p := &why.Package{
		ImportPath: "example.com/stock",
		Files: map[string][]byte{"stock.go": []byte(`package stock

type Item struct{ a, b, c int }

func NewItem() *Item {
	item := Item{}
	return &item
}
`)},
		Diagnostics: diagnostics,
	}
	// One operation of the benchmark allocated one object of 24 bytes.
	measured := []wire.Benchmark{{
		Name: "BenchmarkNewItem", N: 1000, AllocsPerOp: 1, BytesPerOp: 24, Profiled: 1000,
		Stacks: []wire.Stack{{Objects: 1000, Size: 24, Frames: []wire.Frame{
			{Func: "runtime.newobject", File: "runtime/malloc.go", Line: 1714},
			{Func: "example.com/stock.NewItem", File: "example.com/stock/stock.go", Line: 6},
			{Func: "example.com/stock.BenchmarkNewItem", File: "example.com/stock/stock_test.go", Line: 9},
		}}},
	}}
	allocations, _ := why.Explain(p, measured, nil)
	for _, a := range allocations {
		fmt.Printf("%s:%d: %s\n%s: %s\n", a.File, a.Line, a.Code, why.FormatAllocs(a.AllocsPerOp), a.Why)
	}
	// Output:
	// stock.go:6: item := Item{}
	// 1 alloc/op: the variable item moves to the heap
}
