package gate_test

import (
	"regexp"
	"strconv"
	"strings"
	"sync"
	"testing"

	"onthestack/exercises/exercise26"
)

func check(t *testing.T, p *gate.Parser, in input) {
	t.Helper()
	got, ok := p.Parse(in.line)
	if wrong := in.wrong(got, ok); wrong != "" {
		t.Fatal(wrong)
	}
}

func TestParse(t *testing.T) {
	p := gate.NewParser()
	right := gate.Weighing{Belt: 3, Parcel: "RB000000042", Grams: 1754}
	noted := func(note string) gate.Weighing {
		w := right
		w.Note = note
		return w
	}
	for line, want := range map[string]gate.Weighing{
		"belt 3: RB000000042 1754g":                           right,
		"belt 3: RB000000042 1754g ":                          right,
		"belt 3: RB000000042 1754g  ":                         noted(" "),
		"belt 3: RB000000042 1754g x":                         noted("x"),
		"belt 3: RB000000042 1754g 12g":                       noted("12g"),
		"belt 3: RB000000042 1754g \xff\r":                    noted("\xff\r"),
		"belt 003: RB000000042 000001754g":                    right,
		"belt 0: AZ123456789 0g":                              {Parcel: "AZ123456789"},
		"belt 999999999: ZA000000000 999999999g":              {Belt: 999999999, Parcel: "ZA000000000", Grams: 999999999},
		"belt 3: RB000000042 1754g belt 3: RB000000042 1754g": noted("belt 3: RB000000042 1754g"),
	} {
		check(t, p, input{line, want, true})
	}
	for _, line := range []string{
		"", " ", "belt", "belt ", "belt 3", "belt 3:", "belt 3: ", "belt 3: RB000000042", "belt 3: RB000000042 ",
		"belt 3: RB000000042 1754", "belt 3: RB000000042 g", "belt : RB000000042 1754g",
		"belt 3:RB000000042 1754g", "belt 3 : RB000000042 1754g", "belt 3: RB000000042  1754g",
		"belt  3: RB000000042 1754g", " belt 3: RB000000042 1754g", "Belt 3: RB000000042 1754g",
		"belt +3: RB000000042 1754g", "belt -3: RB000000042 1754g", "belt 3: RB000000042 +1754g",
		"belt 1234567890: RB000000042 1754g", "belt 3: RB000000042 1234567890g", "belt 3: RB000000042 1.7g",
		"belt 3: rB000000042 1754g", "belt 3: Rb000000042 1754g", "belt 3: R0000000042 1754g",
		"belt 3: RB00000042 1754g", "belt 3: RB0000000042 1754g", "belt 3: RBA00000042 1754g",
		"belt 3: RB00000004٣ 1754g", "belt ٣: RB000000042 1754g", "belt 3: ÅB000000042 1754g",
		"belt 3: RB000000042 1754gx", "belt 3: RB000000042 1754g\n", "belt 3: RB000000042 1754g x\n",
		"belt 3: RB000000042 1754g x\ny", "belt 3: RB000000042 1754g \n", "belt 3: RB000000042 1754g\tx",
		"x\nbelt 3: RB000000042 1754g", "belt 1_0: RB000000042 1754g", "belt 0x3: RB000000042 1754g",
		"belt 3: RB000000042 1_7g", "belt 3; RB000000042 1754g", "belt 3:\tRB000000042 1754g",
	} {
		check(t, p, input{line: line})
	}
}

func TestRandomLines(t *testing.T) {
	r := newRand(t)
	p := gate.NewParser()
	pattern := regexp.MustCompile(`^belt [0-9]{1,9}: [A-Z]{2}[0-9]{9} [0-9]{1,9}g( .*)?$`)
	for range 2000 {
		check(t, p, newInput(r, newSize(r, 200)-20))
		if in := spoiled(r); !pattern.MatchString(in.line) {
			check(t, p, in)
		}
	}
}

// Notes of every length, also with a line break at their end.
func TestLongNotes(t *testing.T) {
	r := newRand(t)
	p := gate.NewParser()
	for n := 1; n <= 128<<10; n *= 2 {
		in := newInput(r, n+r.IntN(n))
		check(t, p, in)
		check(t, p, input{line: in.line + "\n"})
		check(t, p, input{line: strings.Replace(in.line, "g ", "gx", 1)})
	}
	check(t, p, newInput(r, 1<<20+r.IntN(1<<10)))
}

// A result stays as it is, whatever is parsed after it, by whichever Parser.
func TestResultsStay(t *testing.T) {
	r := newRand(t)
	parsers := []*gate.Parser{gate.NewParser(), gate.NewParser()}
	var inputs []input
	var results []gate.Weighing
	for i := range 200 {
		in := newInput(r, newSize(r, 100)-1)
		got, _ := parsers[i%2].Parse(in.line)
		inputs, results = append(inputs, in), append(results, got)
		parsers[i%2].Parse(spoiled(r).line)
	}
	for i, in := range inputs {
		if wrong := in.wrong(results[i], true); wrong != "" {
			t.Fatal("a later call changes a result: " + wrong)
		}
	}
}

// Goroutines share a Parser.
func TestAtOnce(t *testing.T) {
	r := newRand(t)
	p := gate.NewParser()
	var calls sync.WaitGroup
	for range 8 {
		inputs := make([]input, 100)
		for i := range inputs {
			if inputs[i] = newInput(r, newSize(r, 300)-1); i%4 == 0 {
				inputs[i] = input{line: "belt " + strconv.Itoa(i) + ": RB1 17g"}
			}
		}
		calls.Go(func() {
			for _, in := range inputs {
				got, ok := p.Parse(in.line)
				if wrong := in.wrong(got, ok); wrong != "" {
					t.Error("goroutines share a Parser: " + wrong)
					return
				}
			}
		})
	}
	calls.Wait()
}
