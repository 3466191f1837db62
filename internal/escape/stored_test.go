package escape

import (
	"strings"
	"testing"
)

// TestMarkStorage: a struct and a field are boxed where they escape; a slice of a named type, a method value and what
// another package declares are left as they are.
func TestMarkStorage(t *testing.T) {
	files := map[string][]byte{
		"a.go": []byte("package a\n\ntype (\n\tsale struct{ n int }\n\trefund sale\n\tnothing struct{}\n" +
			"\tlist []int\n\ttable map[int]int\n\tgrid [9]int\n\tpair[T any] struct{ a, b T }\n" +
			"\tints = pair[int]\n\tloop loop\n)\n"),
		"b.go":      []byte("package a\n\ntype box struct{ sum int; run func() }\n\nfunc (box) run() {}\n\nfunc ( {\n"),
		"notes.txt": []byte("type notes struct{ n int }"),
	}
	const report = `./a.go:3:9: sale{...} escapes to heap in F:
./a.go:3:9:   flow: ~r0 ← &{storage for sale{...}}:
./a.go:3:9:     from sale{...} (spill) at ./a.go:3:9
./a.go:3:9:     from return sale{...} (return) at ./a.go:3:2
./a.go:3:9: sale{...} escapes to heap
`
	parsed, _ := Parse([]byte(report))
	if len(parsed) != 1 {
		t.Fatal(parsed)
	}
	before := parsed[0]
	MarkStorage(parsed, StoredIn(ParseSource(files)))
	var steps []string
	for _, s := range Reasons(parsed[0]) {
		steps = append(steps, s.Message)
	}
	if got, want := strings.Join(steps, "; "),
		"sale{...} is stored in an interface; returned to the caller, which outlives this frame"; got != want {
		t.Errorf("steps %q, want %q", got, want)
	}
	if len(Reasons(before)) != 1 {
		t.Errorf("another copy of the diagnostic was changed too: %+v", before)
	}
	for subject, want := range map[string]bool{
		"sale{...}": true, "refund{...}": true, "grid{...}": true, "pair[int]{...}": true, "ints{...}": true,
		"b.sum": true, "f(x).sum": true,
		"nothing{}": false, "list{...}": false, "table{...}": false, "loop{}": false, "time.Time{}": false,
		"notes{}": false, "b.run": false, "b.other": false, "&sale{...}": false, "a + b": false,
	} {
		d := []Diagnostic{{Kind: Escape, Message: subject + " escapes to heap"}}
		MarkStorage(d, StoredIn(ParseSource(files)))
		const words = " is boxed on the heap, to fit in an interface"
		if why := Why(d[0]); (d[0].Stored == Boxed) != want || strings.HasSuffix(why, words) != want {
			t.Errorf("%s: stored %v, %q; boxed %v wanted", subject, d[0].Stored, why, want)
		}
		if boxed := StorageOf(d[0]) == Boxed; boxed != want {
			t.Errorf("%s: storage boxed %v, want %v", subject, boxed, want)
		}
	}
}
