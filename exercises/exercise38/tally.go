// The task: checkalloc task exercise38

// Package tally counts how often doors were opened.
package tally

import (
	"slices"
	"strings"
)

// A Tally counts the lines of a log by door. Its zero value
// has counted nothing. Goroutines each have a Tally of
// their own.
type Tally struct {
	opened map[string]int // by door
}

// blanks are what separates the fields of a line.
const blanks = " \t"

// Line counts a line of the log, such as
//
//	07:58 garage opened by card 88
//
// whose second field is the door. Any number of blanks and
// tabs may stand before, between and after the fields; every
// other byte is part of a field. A line with fewer than two
// fields does not count.
//
// The line belongs to the caller, who will use its memory
// for the next line. Line does not change it.
func (t *Tally) Line(line []byte) {
	fields := strings.FieldsFunc(string(line), func(r rune) bool {
		return strings.ContainsRune(blanks, r)
	})
	if len(fields) < 2 {
		return
	}
	if t.opened == nil {
		t.opened = make(map[string]int)
	}
	t.opened[strings.Clone(fields[1])]++
}

// Count returns how often a door was opened.
func (t *Tally) Count(door string) int {
	return t.opened[door]
}

// Doors returns the names of all doors that were opened, in
// order.
func (t *Tally) Doors() []string {
	var doors []string
	for door := range t.opened {
		doors = append(doors, door)
	}
	slices.Sort(doors)
	return doors
}
