// Nine digits are printed and read again.
// want: benchmark

package till

import (
	"bytes"
	"fmt"
)

type Sums struct {
	A, B   int64 // sold at tax rate A, at rate B
	Back   int64 // paid for what came back
	Pieces int64 // sold
}

type Error int

func (e Error) Error() string {
	return fmt.Sprintf("till: cannot read line %d", int(e))
}

func Add(roll []byte) (Sums, error) {
	var sums Sums
	for n := 1; len(roll) > 0; n++ {
		var text []byte
		text, roll, _ = bytes.Cut(roll, []byte("\n"))

		l, ok := read(text)
		if !ok {
			return Sums{}, Error(n)
		}

		if l.pieces > 99_999_999 {
			l.pieces = number(fmt.Append(nil, l.pieces))
		}
		l.addTo(&sums)
	}
	return sums, nil
}

type line struct {
	pieces, cents int64
	kind          byte // rate of a sale, 'A' or 'B'; 'r' for what came back
}

func (l line) addTo(s *Sums) {
	switch l.kind {
	case 'A':
		s.Pieces += l.pieces
		s.A += l.pieces * l.cents
	case 'B':
		s.Pieces += l.pieces
		s.B += l.pieces * l.cents
	default:
		s.Back += l.pieces * l.cents
	}
}

func read(text []byte) (line, bool) {
	count, text, _ := bytes.Cut(text, []byte(" "))
	word, text, _ := bytes.Cut(text, []byte(" "))
	price, rate, rated := bytes.Cut(text, []byte(" "))
	whole, part, _ := bytes.Cut(price, []byte("."))
	pieces, euros, cents := number(count), number(whole), number(part)
	if pieces < 0 || euros < 0 || cents < 0 || len(part) != 2 {
		return line{}, false
	}
	cents += 100 * euros

	switch {
	case string(word) == "back" && !rated:
		return line{pieces, cents, 'r'}, true
	case string(word) == "x" && (string(rate) == "A" || string(rate) == "B"):
		return line{pieces, cents, rate[0]}, true
	}
	return line{}, false
}

func number(digits []byte) int64 {
	if len(digits) < 1 || len(digits) > 9 {
		return -1
	}
	n := int64(0)
	for _, c := range digits {
		if c < '0' || c > '9' {
			return -1
		}
		n = 10*n + int64(c-'0')
	}
	return n
}
