package report

import (
	"bytes"
	"testing"

	"github.com/charmbracelet/colorprofile"

	"onthestack/internal/owncode/budget"
)

func guardReport() *budget.Report {
	many := make([]budget.Place, maxBecause+2)
	for i := range many {
		many[i] = budget.Place{File: "p/ring.go", Line: 41 + i, Message: "1 alloc/op, 8 B/op: why"}
	}
	return &budget.Report{Held: 1, Broken: 2, Errors: 3, Findings: []budget.Finding{
		{Kind: budget.Over, File: "p/ring_test.go", Line: 9, Message: "BenchmarkPush: 2 allocs/op, budget allocs<=1",
			Because: many},
		{Kind: budget.Escapes, File: "p/ring.go", Line: 41, Col: 3,
			Message: "the slice's array moves to the heap (make([]byte, n) escapes to heap)",
			Because: []budget.Place{{File: "p/ring.go", Line: 44, Message: "returned"}}},
		{Kind: budget.Malformed, File: "p/ring.go", Line: 50, Directive: "//checkalloc:alloc<=1",
			Message: `"alloc" is unknown`},
		{Kind: budget.Malformed, File: "p/broken.go", Line: 1, Message: "its directives cannot be read: x"},
		{Kind: budget.Unchecked, File: "p/a,b:c_test.go", Line: 9, Directive: "//checkalloc:allocs<=1",
			Message: "not checked: BenchmarkX was not measured",
			Because: []budget.Place{{Message: "panic: 100%\x1b[31m\nno"}}},
		{Kind: budget.Note, File: "p/ring.go", Line: 60, Message: "nothing escapes"},
	}}
}

func TestGuard(t *testing.T) {
	const want = `p/ring_test.go:9: BenchmarkPush: 2 allocs/op, budget allocs<=1
    p/ring.go:41: 1 alloc/op, 8 B/op: why
    p/ring.go:42: 1 alloc/op, 8 B/op: why
    p/ring.go:43: 1 alloc/op, 8 B/op: why
    p/ring.go:44: 1 alloc/op, 8 B/op: why
    p/ring.go:45: 1 alloc/op, 8 B/op: why
    p/ring.go:46: 1 alloc/op, 8 B/op: why
    p/ring.go:47: 1 alloc/op, 8 B/op: why
    p/ring.go:48: 1 alloc/op, 8 B/op: why
    … 2 more lines
p/ring.go:41: noescape does not hold: the slice's array moves to the heap (make([]byte, n) escapes to heap)
    p/ring.go:44: returned
p/ring.go:50: //checkalloc:alloc<=1: "alloc" is unknown
p/broken.go:1: its directives cannot be read: x
p/a,b:c_test.go:9: //checkalloc:allocs<=1: not checked: BenchmarkX was not measured
    │ panic: 100%�[31m no
p/ring.go:60: note: nothing escapes

1 budget holds, 2 do not, 3 are in error
`
	var out bytes.Buffer
	Guard(&colorprofile.Writer{Forward: &out, Profile: colorprofile.NoTTY}, guardReport())
	if out.String() != want {
		t.Errorf("got\n%s\nwant\n%s", out.String(), want)
	}
	for _, test := range []struct {
		r    budget.Report
		want string
	}{
		{budget.Report{Held: 2}, "2 budgets hold, 0 do not\n"},
		{budget.Report{Broken: 1, Errors: 1}, "0 budgets hold, 1 does not, 1 is in error\n"},
	} {
		out.Reset()
		Guard(&out, &test.r)
		if out.String() != test.want {
			t.Errorf("%q, want %q", out.String(), test.want)
		}
	}
}

func TestAnnotations(t *testing.T) {
	var out bytes.Buffer
	r := guardReport()
	r.Findings = r.Findings[1:]
	Annotations(&out, r, func(file string) string { return "sub/" + file })
	const want = `::error file=sub/p/ring.go,line=41,title=checkalloc guard::noescape does not hold: the slice's array moves to the heap (make([]byte, n) escapes to heap)%0Areturned (sub/p/ring.go:44)
::error file=sub/p/ring.go,line=50,title=checkalloc guard:://checkalloc:alloc<=1: "alloc" is unknown
::error file=sub/p/broken.go,line=1,title=checkalloc guard::its directives cannot be read: x
::error file=sub/p/a%2Cb%3Ac_test.go,line=9,title=checkalloc guard:://checkalloc:allocs<=1: not checked: BenchmarkX was not measured%0Apanic: 100%25�[31m%0Ano
::notice file=sub/p/ring.go,line=60,title=checkalloc guard::note: nothing escapes
`
	if out.String() != want {
		t.Errorf("got\n%s\nwant\n%s", out.String(), want)
	}
}
