package gate_test

import (
	"testing"

	"onthestack/exercises/exercise26"
)

// spare is how many bytes the notes of the first round are cut by.
const spare = 32

// BenchmarkParseConfirmLines parses lines of all kinds, with notes of up to 16 KiB.
func BenchmarkParseConfirmLines(b *testing.B) {
	r := newRand(b)
	inputs := make([]input, 997)
	for i := range inputs {
		n := newSize(r, 100) - 1
		if i%50 == 0 {
			n = newSize(r, 16<<10)
		}
		if n >= 0 {
			n += spare
		}
		inputs[i] = newInput(r, n)
	}
	parse(b, inputs)
}

// BenchmarkParseConfirmNone parses lines that are none of the log.
func BenchmarkParseConfirmNone(b *testing.B) {
	r := newRand(b)
	inputs := make([]input, 499)
	for i := range inputs {
		inputs[i].line = "belt " + digits(r, 1, 9) + ": " + newParcel(r) + " " + digits(r, 10, 20) + "g " +
			newNote(r, newSize(r, 100))
		if i%3 == 0 {
			inputs[i].line = newNote(r, newSize(r, 1000))
		}
	}
	parse(b, inputs)
}

// parse parses one of the lines in each operation, through two Parsers by turns. In each round, a note is a byte longer
// than before, so that hardly any line comes twice.
func parse(b *testing.B, inputs []input) {
	parsers := [2]*gate.Parser{gate.NewParser(), gate.NewParser()}
	for i, in := range inputs {
		parsers[i%2].Parse(in.line)
	}
	for i := 0; b.Loop(); i++ {
		in := inputs[i%len(inputs)].inRound(i / len(inputs))
		got, ok := parsers[i/64%2].Parse(in.line)
		if ok != in.ok || got != in.want {
			b.Fatal(in.wrong(got, ok))
		}
	}
}

// inRound returns the input without the last bytes of its note, of which a round has one less than the round before it.
func (in input) inRound(n int) input {
	if cut := spare - n%spare; len(in.want.Note) >= spare {
		in.line = in.line[:len(in.line)-cut]
		in.want.Note = in.want.Note[:len(in.want.Note)-cut]
	}
	return in
}
