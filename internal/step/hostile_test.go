package step_test

import (
	"strings"
	"testing"

	"onthestack/internal/step"
)

// forger is a program that reaches the channel of the recorder by itself.
const forger = `package main

import "unsafe"

//go:wasmimport checkalloc write
func write(p unsafe.Pointer, n uint32)

func forge(p []byte) { write(unsafe.Pointer(&p[0]), uint32(len(p))) }

func main() {
	x := 1
	forge([]byte(FORGED))
	x++
}
`

// TestForgedReports sends messages that the recorder did not send. The steps before stay, and the Document says what
// happened. TestForgedMessages has more such messages, without a program that sends them.
func TestForgedReports(t *testing.T) {
	for _, c := range []struct{ name, forged string }{
		{"no message", `"x"`},
		{"a measurement", `"benchmarks\nbenchmark \"main\" 1 0 0 0 1 0 false 0 0 0 0 0\ndone\n"`},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			d := steps(t, strings.Replace(forger, "FORGED", c.forged, 1))
			if d.End.Kind != step.EndBroken || d.Cut == "" {
				t.Errorf("%+v, cut %q", d.End, d.Cut)
			}
			if last := d.Steps[len(d.Steps)-2]; last.Line > 12 || len(d.Steps) < 3 {
				t.Errorf("%d steps, the last is at line %d", len(d.Steps), last.Line)
			}
			if d.Unmeasured == "" {
				t.Errorf("measured: %+v", d.Lines)
			}
		})
	}
}

// TestPrintedReports prints what a recorder sends. It is output, and nothing else.
func TestPrintedReports(t *testing.T) {
	const program = `package main

import (
	"os"
	"strings"
)

func main() {
	os.Stdout.WriteString("Sx\x01\x00\x00\x00\x00L")
	os.Stderr.WriteString("benchmarks\ndone\n")
	println(strings.Repeat("L", 3))
}
`
	d := steps(t, program)
	var printed string
	for _, s := range d.Steps {
		printed += s.Output
	}
	if want := "Sx\x01\x00\x00\x00\x00Lbenchmarks\ndone\nLLL\n"; printed != want || d.End.Kind != step.EndReturned {
		t.Errorf("%q, %+v, want %q", printed, d.End, want)
	}
}

// TestProofLargePrograms bounds what programs with too much of something show.
func TestProofLargePrograms(t *testing.T) {
	for _, c := range []struct{ name, code string }{
		{"a cycle", "type n struct{ p *n }\n\nfunc main() {\n\tx := &n{}\n\tx.p = x\n\tx = nil\n}"},
		{"many objects", "type n struct{ p *n }\n\nfunc main() {\n\tvar l *n\n" +
			"\tfor range 200 {\n\t\tl = &n{l}\n\t}\n}"},
		{"more objects than are drawn", "type n struct{ p *n }\n\nvar s []*n\n\nfunc main() {\n\tfor range 5 {\n\t\t" +
			"s = nil\n\t\tfor range 100 {\n\t\t\ts = append(s, &n{})\n\t\t}\n\t}\n}"},
		{"large objects", "func main() {\n\ta := make([]string, 1<<16)\n\tb := [1 << 12]int{}\n" +
			"\ta[0] = string(rune(b[0]+65))\n}"},
		{"deep values", "type d struct{ a [2]struct{ b [2]struct{ c [2]struct{ d [2]struct{ e [2]any } } } } }\n\n" +
			"func main() {\n\tvar x d\n\tx.a[0].b[1].c[0].d[1].e[0] = &x\n\tx.a[1] = x.a[0]\n}"},
		{"many goroutines", "import \"sync\"\n\nfunc main() {\n\tvar w sync.WaitGroup\n\tfor range 100 {\n\t\t" +
			"w.Go(func() { x := 1; x++ })\n\t}\n\tw.Wait()\n}"},
		{"much output", "func main() {\n\tfor range 900 {\n" +
			"\t\tprint(\"0123456789012345678901234567890123456789\")\n\t}\n}"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			d := steps(t, header+c.code+"\n")
			valid(t, d)
			if d.End.Kind != step.EndReturned && d.End.Kind != step.EndSteps && d.End.Kind != step.EndStopped {
				t.Errorf("%+v", d.End)
			}
			drawn := 0
			for _, s := range d.Steps {
				drawn += len(s.Heap) + len(s.Elsewhere)
			}
			if drawn > 110_000 {
				t.Errorf("%d objects are drawn", drawn)
			}
			if len(d.Steps) < 4 {
				t.Errorf("%d steps", len(d.Steps))
			}
		})
	}
}
