package gate_test

import (
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"
	"testing"
	"unicode/utf8"

	"onthestack/exercises/exercise2"
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

func (g *guard) admit(t testing.TB, card int, debug bool) {
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
	before := maps.Clone(names)
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
	if !maps.Equal(names, before) {
		t.Errorf("Admit changes the names\n  got:  %.200v\n  want: %.200v", fmt.Sprint(names), fmt.Sprint(before))
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

// Names with each byte and each kind of character: some need an escape, which depends on
// whether they can be printed.
func TestCharacters(t *testing.T) {
	r := newRand(t)
	var all []string
	for c := range 256 {
		all = append(all, string([]byte{byte(c)}), "a"+string([]byte{byte(c), 'b'}))
	}
	for c := rune(0); c < 0x3100; c++ {
		all = append(all, string(c))
	}
	for range 5000 {
		all = append(all, string(rune(r.IntN(utf8.MaxRune+1))))
	}
	all = append(all, "\ufeff", "\ufffd", "\xef\xbf", "\xed\xa0\x80", "\xc0\x80", "\xf4\x90\x80\x80", "\U0001f600",
		"\U0010ffff", "\ufffe", "`", "'", "\a\b\f\n\r\t\v", "\x1b[0m")
	names := map[int]string{}
	for i, c := range all {
		names[i/20] += c
	}
	g := newGuard(names)
	for card := range names {
		g.admit(t, card, true)
	}
}

// A busy output does something with the gate while it is given a line, once.
type busy struct {
	lines
	before  int // lines before that one
	then    func()
	changed bool // a line has changed meanwhile
}

func (b *busy) Write(line []byte) (int, error) {
	given := string(line)
	if b.before--; b.before == -1 {
		b.then()
	}
	b.changed = b.changed || string(line) != given
	return b.lines.Write([]byte(given))
}

// The output may admit somebody, switch Debug, or panic, at the first line or at the second.
func TestBusyOutput(t *testing.T) {
	is := func(number int) string { return "card 88: \"Ada\" is number " + strconv.Itoa(number) + "\n" }
	const at, other, unknown = "card 88 at the gate\n", "card 5 at the gate\n", "card 5: unknown\n"
	off := func(g *gate.Gate) { g.Log.Debug = false }
	admitSame := func(g *gate.Gate) { g.Admit(88) }
	admitOther := func(g *gate.Gate) { g.Admit(5) }
	fail := func(*gate.Gate) { panic("disk full") }
	for _, test := range []struct {
		name     string
		before   int
		then     func(g *gate.Gate)
		want     lines
		admitted int
	}{
		{"switches Debug off at the first line", 0, off, lines{at}, 1},
		{"switches Debug off at the second line", 1, off, lines{at, is(1)}, 1},
		{"admits a card at the first line", 0, admitSame, lines{at, is(1), at, is(2)}, 2},
		{"admits a card at the second line", 1, admitSame, lines{at, at, is(2), is(1)}, 2},
		{"admits an unknown card at the first line", 0, admitOther, lines{other, unknown, at, is(1)}, 1},
		{"admits an unknown card at the second line", 1, admitOther, lines{at, other, unknown, is(1)}, 1},
		{"panics at the first line", 0, fail, nil, 0},
		{"panics at the second line", 1, fail, lines{at}, 1},
	} {
		t.Run(test.name, func(t *testing.T) {
			g := &gate.Gate{Names: map[int]string{88: "Ada"}}
			b := &busy{before: test.before, then: func() { test.then(g) }}
			g.Log.Out, g.Log.Debug = b, true
			name, ok, panicked := admit(g, 88)
			if !panicked && (name != "Ada" || !ok) {
				t.Fatalf("wrong result\n  got:  %q, %v\n  want: \"Ada\", true", name, ok)
			}
			if !slices.Equal(b.lines, test.want) {
				t.Fatalf("wrong lines\n  got:  %q\n  want: %q", b.lines, test.want)
			}
			if b.changed {
				t.Fatal("a line changes while the output has it\n  got:  another line\n  want: the same line")
			}
			b.lines, g.Log.Debug = nil, true
			g.Admit(88)
			if want := (lines{at, is(test.admitted + 1)}); !slices.Equal(b.lines, want) {
				t.Fatalf("wrong lines of the next card\n  got:  %q\n  want: %q", b.lines, want)
			}
		})
	}
}

// admit calls Admit, and reports whether that panics.
func admit(g *gate.Gate, card int) (name string, ok, panicked bool) {
	defer func() { panicked = recover() != nil }()
	name, ok = g.Admit(card)
	return name, ok, false
}

// A gate keeps nothing of the cards and the names that it has seen.
func TestMemory(t *testing.T) {
	for _, debug := range []bool{false, true} {
		got := kept(4, func() *gate.Gate {
			g := newGuard(map[int]string{})
			for i := range 10_000 {
				if i%2000 == 0 {
					g.gate.Names[88] = strings.Repeat("Ada", 100_000)[:1+i%10] // a part of a large text
				}
				g.admit(t, 88+i%2*i, debug && i%3 == 0)
			}
			g.gate.Names, g.written = nil, nil
			g.gate.Log.Out = nil
			return &g.gate
		})
		if want := 8 << 10; got > want {
			t.Errorf("a gate keeps memory of the cards that it has seen\n  cards: 10000, with Debug %v\n"+
				"  got:   %d bytes\n  want:  at most %d bytes", debug, got, want)
		}
	}
}

func TestTwoGates(t *testing.T) {
	one, two := newGuard(map[int]string{1: "Ada"}), newGuard(map[int]string{1: "Grace", 2: "Ada"})
	for i := range 20 {
		one.admit(t, i%3, i%2 == 0)
		two.admit(t, i%3, i%5 == 0)
	}
}
