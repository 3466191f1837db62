// The task: checkalloc task exercise26

// Package gate reads what the scale at the gate of a parcel
// depot writes into its log.
package gate

import (
	"regexp"
	"strconv"
)

// A Weighing is a line of the log.
type Weighing struct {
	Belt   int
	Parcel string
	Grams  int
	Note   string
}

// A Parser parses the lines of the log. Goroutines may share
// one.
//
// Changed: the Parser has the expression, which is compiled
// once. A *regexp.Regexp may be used by goroutines at once.
// In a program of yours, a variable of the package does as
// well.
type Parser struct {
	line *regexp.Regexp
}

// NewParser returns a Parser.
func NewParser() *Parser {
	return &Parser{
		regexp.MustCompile(`^belt (\d{1,9}): ([A-Z]{2}\d{9}) (\d{1,9})g(?: (.*))?$`),
	}
}

// Parse parses a line, such as
//
//	belt 3: RB000000042 1754g fragile, this side up
//
// and reports whether it is one. The number of the belt and
// the weight have one to nine digits. The parcel has two
// capital letters and nine digits. A note of any length may
// follow after a space; it is on one line. The strings of a
// Weighing may be parts of the line.
func (p *Parser) Parse(line string) (w Weighing, ok bool) {
	// Changed: the result is a slice of positions, one
	// allocation, from which the strings are cut. A slice of
	// strings would be a second one, since the positions are
	// found first in any case. Strings that are parts of
	// another are no allocation.
	m := p.line.FindStringSubmatchIndex(line)
	if m == nil {
		return Weighing{}, false
	}
	belt, _ := strconv.Atoi(line[m[2]:m[3]]) // it has at most nine digits
	grams, _ := strconv.Atoi(line[m[6]:m[7]])
	w = Weighing{Belt: belt, Parcel: line[m[4]:m[5]], Grams: grams}
	// Changed: a group that took no part in the match has the
	// positions -1.
	if m[8] >= 0 {
		w.Note = line[m[8]:m[9]]
	}
	// The cost: numbers in place of names, which have to be
	// counted again when the expression changes. With
	// strings.Cut and a few loops, even the last allocation
	// goes away, but it is three times as much code.
	return w, true
}
