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

		// Changed: a struct cannot be nil, so read says in a second result whether
		// there is one. l is a variable in this frame, not a pointer to the heap.
		l, ok := read(text)
		if !ok {
			// This conversion to an interface may stay. It is made at most once in
			// a call, and callers expect an error.
			return Sums{}, Error(n)
		}

		// Not changed, and yet it costs less: the compiler knows which addTo this is
		// and sees that it keeps nothing. sums is no longer "moved to heap".
		l.addTo(&sums)
	}
	return sums, nil
}

// A line is one line of a roll, of either kind.
//
// Changed: this was an interface, with a type for each kind of line. read could
// return either, so each line had to be stored where an interface can point to
// it, on the heap. One struct that can be both has the size of the larger.
//
// The cost: a third kind of line would have been a type of its own, with
// its method; now it is one more value of kind and one more case in addTo.
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

// read returns false for a text that is no line.
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

	// Changed: what is returned here is copied into the caller's frame.
	switch {
	case string(word) == "back" && !rated:
		return line{pieces, cents, 'r'}, true
	case string(word) == "x" && (string(rate) == "A" || string(rate) == "B"):
		return line{pieces, cents, rate[0]}, true
	}
	return line{}, false
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
