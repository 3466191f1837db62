// The task: checkalloc task exercise12

// Package till adds up the roll of a cash register.
package till

import (
	"bytes"
	"fmt"
)

// Sums is what a roll adds up to, in cents.
type Sums struct {
	A, B   int64 // sold at tax rate A, at rate B
	Back   int64 // paid for what came back
	Pieces int64 // sold
}

// An Error is the number of the first line that cannot be
// read. The first line of a roll is 1.
type Error int

func (e Error) Error() string {
	return fmt.Sprintf("till: cannot read line %d", int(e))
}

// Add adds up all lines of a roll. The last one may end
// without a newline; an empty roll has no lines. A number
// has one to nine digits; a price is a number, a point and
// two digits. If a line cannot be read, Add returns an
// Error and no sums.
//
// Add neither changes nor keeps roll, so goroutines may
// add up the same one.
func Add(roll []byte) (Sums, error) {
	var sums Sums
	for n := 1; len(roll) > 0; n++ {
		var text []byte
		text, roll, _ = bytes.Cut(roll, []byte("\n"))
		l := read(text)
		if l == nil {
			return Sums{}, Error(n)
		}
		l.addTo(&sums)
	}
	return sums, nil
}

// A line is one line of a roll, of either kind.
type line interface {
	addTo(s *Sums)
}

type sale struct {
	pieces, cents int64
	rate          byte
}

func (l sale) addTo(s *Sums) {
	s.Pieces += l.pieces
	if l.rate == 'A' {
		s.A += l.pieces * l.cents
	} else {
		s.B += l.pieces * l.cents
	}
}

type back struct {
	pieces, cents int64
}

func (l back) addTo(s *Sums) {
	s.Back += l.pieces * l.cents
}

// read returns nil for a text that is no line.
func read(text []byte) line {
	count, text, _ := bytes.Cut(text, []byte(" "))
	word, text, _ := bytes.Cut(text, []byte(" "))
	price, rate, rated := bytes.Cut(text, []byte(" "))
	whole, part, _ := bytes.Cut(price, []byte("."))
	pieces, euros, cents := number(count), number(whole), number(part)
	if pieces < 0 || euros < 0 || cents < 0 || len(part) != 2 {
		return nil
	}
	cents += 100 * euros

	switch {
	case string(word) == "back" && !rated:
		return back{pieces, cents}
	case string(word) == "x" && (string(rate) == "A" || string(rate) == "B"):
		return sale{pieces, cents, rate[0]}
	}
	return nil
}

// number returns -1 where digits are not one to nine digits.
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
