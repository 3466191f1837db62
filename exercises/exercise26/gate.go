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
type Parser struct{}

// NewParser returns a Parser.
func NewParser() *Parser {
	return &Parser{}
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
	pattern := regexp.MustCompile(`^belt (\d{1,9}): ([A-Z]{2}\d{9}) (\d{1,9})g(?: (.*))?$`)
	m := pattern.FindStringSubmatch(line)
	if m == nil {
		return Weighing{}, false
	}
	belt, _ := strconv.Atoi(m[1]) // it has at most nine digits
	grams, _ := strconv.Atoi(m[3])
	return Weighing{belt, m[2], grams, m[4]}, true
}
