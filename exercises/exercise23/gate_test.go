package gate_test

import (
	"errors"
	"math"
	"strconv"
	"strings"
	"testing"

	"onthestack/exercises/exercise23"
)

// lines has what each call of Write was given.
type lines []string

func (l *lines) Write(line []byte) (int, error) {
	*l = append(*l, string(line))
	return len(line), nil
}

// A guard stands at a gate and compares what it does with what it has to do.
type guard struct {
	gate     gate.Gate
	written  lines
	admitted int
}

func newGuard(names map[int]string) *guard {
	g := &guard{}
	g.gate.Names, g.gate.Log.Out = names, &g.written
	return g
}

func (g *guard) admit(t *testing.T, card int, debug bool) {
	t.Helper()
	g.gate.Log.Debug, g.written = debug, nil
	name, ok := g.gate.Admit(card)
	wantName, wantOK := g.gate.Names[card]
	if name != wantName || ok != wantOK {
		t.Fatalf("wrong result\n  card: %d\n  got:  %.40q, %v\n  want: %.40q, %v", card, name, ok, wantName, wantOK)
	}
	number := strconv.Itoa(card)
	want := lines{"card " + number + " at the gate\n"}
	if ok {
		g.admitted++
		want = append(want, "card "+number+": "+strconv.Quote(name)+" is number "+strconv.Itoa(g.admitted)+"\n")
	} else {
		want = append(want, "card "+number+": unknown\n")
	}
	if !debug {
		want = nil
	}
	if len(g.written) != len(want) {
		t.Fatalf("wrong number of lines, with Debug %v\n  card: %d\n  got:  %.60q\n  want: %.60q", debug, card,
			g.written, want)
	}
	for i := range want {
		if g.written[i] != want[i] {
			t.Fatalf("wrong line %d\n  card: %d\n  got:  %.80q\n  want: %.80q", i+1, card, g.written[i], want[i])
		}
	}
}

func TestAdmit(t *testing.T) {
	names := map[int]string{0: "zero", 1: "Ada", 88: "", 256: "Grace", 4788: "%d%s", -7: "a \"b\"", math.MaxInt: "Ö\n",
		math.MinInt: "\xff"}
	for _, debug := range []bool{true, false} {
		g := newGuard(names)
		for range 3 {
			for _, card := range []int{
				0, 1, 2, 88, 89, 255, 256, 257, 4788, 4787, -7, -8,
				math.MaxInt, math.MaxInt - 1, math.MinInt, math.MinInt + 1,
			} {
				g.admit(t, card, debug)
			}
		}
	}
}

func TestNoNames(t *testing.T) {
	for _, names := range []map[int]string{nil, {}} {
		g := newGuard(names)
		for card := range 300 {
			g.admit(t, card, card%2 == 0)
		}
	}
}

// While Debug is false, the log may have nowhere to write to.
func TestNoOutput(t *testing.T) {
	var g gate.Gate
	if name, ok := g.Admit(88); name != "" || ok {
		t.Errorf("wrong result of an empty gate\n  got:  %q, %v\n  want: \"\", false", name, ok)
	}
	g.Names = map[int]string{88: "Ada"}
	if name, ok := g.Admit(88); name != "Ada" || !ok {
		t.Errorf("wrong result\n  got:  %q, %v\n  want: \"Ada\", true", name, ok)
	}
}

// failing is a log's output that never works. Admit does not care.
type failing struct{ calls int }

func (f *failing) Write([]byte) (int, error) {
	f.calls++
	return 0, errors.New("disk full")
}

func TestFailingOutput(t *testing.T) {
	f := &failing{}
	g := gate.Gate{Names: map[int]string{88: "Ada"}}
	g.Log.Out, g.Log.Debug = f, true
	if name, ok := g.Admit(88); name != "Ada" || !ok || f.calls != 2 {
		t.Errorf("wrong result with an output that fails\n  got:  %q, %v, %d calls of Write\n"+
			"  want: \"Ada\", true, 2 calls", name, ok, f.calls)
	}
}

// Debug is switched on and off, and the numbers count on. It is off at first.
func TestSwitched(t *testing.T) {
	r := newRand(t)
	names := map[int]string{}
	for range 50 {
		names[r.IntN(100)+200] = newName(r, 20)
	}
	g := newGuard(names)
	for i := range 5000 {
		g.admit(t, r.IntN(100)+200, i > 0 && r.IntN(3) == 0)
	}
}

// More than 64 Ki are admitted.
func TestManyAdmitted(t *testing.T) {
	g := newGuard(map[int]string{5: "Ada"})
	for i := range 1<<17 + 100 {
		g.admit(t, 5, i%1000 == 0)
	}
	g.admit(t, 5, true)
}

// Names of any length.
func TestLongNames(t *testing.T) {
	r := newRand(t)
	names := map[int]string{}
	card := 0
	for n := 1; n <= 256<<10; n *= 2 {
		card++
		names[card] = strings.Repeat("x", n+r.IntN(n))
	}
	g := newGuard(names)
	for card := range card + 2 {
		g.admit(t, card, true)
		g.admit(t, card, false)
	}
}

func TestTwoGates(t *testing.T) {
	one, two := newGuard(map[int]string{1: "Ada"}), newGuard(map[int]string{1: "Grace", 2: "Ada"})
	for i := range 20 {
		one.admit(t, i%3, i%2 == 0)
		two.admit(t, i%3, i%5 == 0)
	}
}
