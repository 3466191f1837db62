// The task: checkalloc task exercise38

// Package tally counts how often doors were opened.
package tally

import (
	"bytes"
	"slices"
)

// A Tally counts the lines of a log by door. Its zero value
// has counted nothing. Goroutines each have a Tally of
// their own.
type Tally struct {
	// Changed: the map holds pointers, so that a count can change without an assignment
	// to the map.
	opened map[string]*int // by door
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
	// Changed: the door is found in the line itself. field returns parts of its argument,
	// where strings.FieldsFunc needed a string of the line and a slice of all fields.
	_, rest := field(line)
	door, _ := field(rest)
	if len(door) == 0 {
		return
	}
	// Changed: the lookup comes first. The compiler lends it the bytes as a string, since
	// it does nothing but compare them.
	n := t.opened[string(door)]
	if n == nil {
		if t.opened == nil {
			t.opened = make(map[string]*int)
		}
		// Changed: only a new door needs a string, which this assignment makes. It is a
		// copy, so that the caller may use the line again.
		n = new(int)
		t.opened[string(door)] = n
	}
	*n++
	// The cost: a small object for each door, which the garbage collector follows. With
	// very many doors, indices into a slice of counts would be lighter.
}

// field returns the first field of a text, which is empty if
// there is none, and what follows it.
func field(text []byte) (first, rest []byte) {
	text = bytes.TrimLeft(text, blanks)
	if end := bytes.IndexAny(text, blanks); end >= 0 {
		return text[:end], text[end:]
	}
	return text, nil
}

// Count returns how often a door was opened.
func (t *Tally) Count(door string) int {
	if n := t.opened[door]; n != nil {
		return *n
	}
	return 0
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
