package step_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"onthestack/internal/step"
)

// initialized is a program that runs mostly before main. Its variables are initialized in the order of what they need,
// and a file that sorts early comes before the others.
const initialized = `-- 00.go --
package main

var early = price("early")
-- prog.go --
package main

import "errors"

type shop struct {
	cents map[string]int
}

var (
	later    = first + 1
	first    = price("tea")
	limit    = 10 * 2
	errNo    = errors.New("no")
	boxed    any = price("a long name for a cup of tea")
	a, b     = two(first)
	corner   = &shop{}
	_        = price("")
	conv     = celsius(21)
	convert  = func(c celsius) int { return int(c) }
	both, ok = map[string]int{"tea": 3}["tea"]
)

type celsius int

func price(what string) int { return 100 * len(what) }

func two(n int) (*int, error) {
	m := n
	return &m, nil
}

func init() {
	corner.cents = map[string]int{"tea": first}
}

func init() { convert(conv) }

func main() {
	println(later, both, ok, *a, b == nil, boxed != nil, limit, errNo == nil, early)
}
`

const initialization = `00.go, line 3: init is called.
prog.go, line 25: price is called, inlined into its caller: it has no frame of its own; what of price is "early".
prog.go, line 25: price returns; result of price is 500.
00.go, line 3: early is 500.
prog.go, line 25: price is called, inlined into its caller: it has no frame of its own; what of price is "tea".
prog.go, line 25: price returns; result of price is 300.
prog.go, line 11: first is 300.
prog.go, line 10: later is 301.
prog.go, line 13: errNo is (*errors.errorString, → static data).
prog.go, line 25: price is called, inlined into its caller: it has no frame of its own; what of price is "a long name for a cup of tea".
prog.go, line 25: price returns; result of price is 2800.
prog.go, line 14: boxed is an interface that holds int: static data.
prog.go, line 27: two is called, inlined into its caller: it has no frame of its own; n of two is 300.
prog.go, line 28: m of two is heap object 1, 16 B, because the variable m moves to the heap.
prog.go, line 29: two returns; result of two points to heap object 1, made on line 28; result of two is nil interface.
prog.go, line 15: a points to heap object 1, made on line 28.
prog.go, line 25: price is called, inlined into its caller: it has no frame of its own; what of price is "".
prog.go, line 25: price returns; result of price is 0.
prog.go, line 17: nothing changes in memory.
prog.go, line 17: init returns; convert is func init.func1; both is 3; ok is true.
prog.go, line 32: init.0 is called.
prog.go, line 33: heap object 2, map[string]int, 48 B, made on line 33: the map moves to the heap.
prog.go, line 33: init.0 returns; heap object 3, 208 B, made on line 33: the map moves to the heap.
prog.go, line 36: init.1 is called.
prog.go, line 19: init.func1 is called; c of init.func1 is 21.
prog.go, line 19: init.func1 returns; result of init.func1 is 21.
prog.go, line 36: nothing changes in memory.
prog.go, line 36: init.1 returns.
prog.go, line 38: main is called.
prog.go, line 39: it prints "301 3 true 300 true true 20 false 500\n".
prog.go, line 39: main returns.
prog.go, line 39: the program ended.
`

// TestInitialization steps through the initialization of a package as the runtime does it, and counts it.
func TestInitialization(t *testing.T) {
	d := steps(t, initialized)
	valid(t, d)
	var b strings.Builder
	for _, s := range d.Steps {
		b.WriteString(s.Sentence + "\n")
	}
	if b.String() != initialization {
		t.Errorf("got\n%s\nwant\n%s", b.String(), initialization)
	}
	if d.Unmeasured != "" {
		t.Fatal(d.Unmeasured)
	}
	lines := drawn(d)
	for _, l := range d.Lines {
		k := fmt.Sprintf("%s:%d", l.File, l.Line)
		if got := lines[k]; got.allocs != float64(l.Allocs) {
			t.Errorf("%s: drawn are %v objects, counted %d", k, got.allocs, l.Allocs)
		}
		delete(lines, k)
	}
	if len(d.Lines) < 2 || len(lines) > 0 {
		t.Errorf("%d lines, drawn but not counted: %v", len(d.Lines), lines)
	}
}

// TestEndsBeforeMain steps through programs that do not get to main.
func TestEndsBeforeMain(t *testing.T) {
	for _, c := range []struct {
		name, code string
		kind       string
		last       int // the line of the last step but the end
		measured   bool
	}{
		{"exit", "import \"os\"\n\nvar x = f()\n\nfunc f() *int {\n\tn := new(int)\n\tos.Exit(*n)\n\treturn n\n}\n\n" +
			"func main() {}",
			step.EndReturned, 8, true},
		{"panic", "func init() {\n\tpanic(\"oh\")\n}\n\nfunc main() {}", step.EndPanicked, 4, false},
		{"endless loop", "func init() {\n\tfor {\n\t}\n}\n\nfunc main() {}", step.EndSteps, 4, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			s := stepper(t, time.Minute)
			measuring := stepper(t, time.Minute)
			if c.kind == step.EndSteps {
				measuring = stepper(t, shortly)
			}
			s.Recorder = &endless{recording: s.Recorder, measuring: measuring.Recorder}
			s.Picture = func(*step.Document) {} // the program is measured after it was recorded
			d := stepsOf(t, s, header+c.code+"\n")
			if last := d.Steps[len(d.Steps)-2]; d.End.Kind != c.kind || last.Line != c.last {
				t.Errorf("%+v after line %d", d.End, last.Line)
			}
			if measured := d.Unmeasured == ""; measured != c.measured {
				t.Errorf("unmeasured %q", d.Unmeasured)
			}
		})
	}
}

// TestFinalizer checks that a finalizer, which runs in a goroutine that the runtime does not count, is drawn in a
// goroutine of its own.
func TestFinalizer(t *testing.T) {
	const begin = `package main

import %q

func finalize(p *[4]int) {
	println("finalized")
}

func main() {
	done := make(chan bool)
	runtime.SetFinalizer(new([4]int), func(p *[4]int) {
		finalize(p)
		done <- true
	})
	runtime.GC()
	println(<-done)
}
`
	for name, program := range map[string]string{
		"of package main": fmt.Sprintf(begin, "runtime"),
		"of another package": fmt.Sprintf(begin, "play.ground/runtime") + `-- go.mod --
module play.ground
-- runtime/runtime.go --
package runtime

import "runtime"

func SetFinalizer(object, finalizer any) { runtime.SetFinalizer(object, finalizer) }

func GC() { runtime.GC() }
`,
	} {
		t.Run(name, func(t *testing.T) {
			d := steps(t, program)
			s := at(t, d, 6, step.Executed)
			if s.Goroutine == 1 || len(s.Stack) != 3 || s.Stack[0].Goroutine != 1 ||
				s.Stack[2].Goroutine != s.Goroutine {
				t.Errorf("goroutine %d with the frames\n%s", s.Goroutine, describe(d, s))
			}
		})
	}
}
