package escape_test

import (
	"fmt"

	"onthestack/internal/escape"
)

// "go build -gcflags=-m=2" prints such a report.
func ExampleParse() {
	report := `# example.com/stock
./stock.go:6:2: item escapes to heap in NewItem:
./stock.go:6:2:   flow: ~r0 ← &item:
./stock.go:6:2:     from &item (address-of) at ./stock.go:7:9
./stock.go:6:2:     from return &item (return) at ./stock.go:7:2
./stock.go:6:2: moved to heap: item
`
	diagnostics, _ := escape.Parse([]byte(report))
	for _, d := range diagnostics {
		fmt.Printf("%s:%d: %s: %s\n", d.File, d.Line, escape.Subject(d), escape.Why(d))
		for _, step := range escape.Reasons(d) {
			fmt.Printf("  line %d: %s\n", step.Line, step.Message)
		}
	}
	// Output:
	// stock.go:6: item: the variable item moves to the heap
	//   line 7: its address is taken: &item
	//   line 7: returned to the caller, which outlives this frame
}
