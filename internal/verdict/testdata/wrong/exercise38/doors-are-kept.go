// Doors returns the tally's own slice, which the next call changes.
package tally

import (
	"bytes"
	"slices"
)

type Tally struct {
	opened map[string]*int
	doors  []string
}

const blanks = " \t"

func (t *Tally) Line(line []byte) {
	_, rest := field(line)
	door, _ := field(rest)
	if len(door) == 0 {
		return
	}
	n := t.opened[string(door)]
	if n == nil {
		if t.opened == nil {
			t.opened = make(map[string]*int)
		}
		n = new(int)
		t.opened[string(door)] = n
	}
	*n++
}

func field(text []byte) (first, rest []byte) {
	text = bytes.TrimLeft(text, blanks)
	if end := bytes.IndexAny(text, blanks); end >= 0 {
		return text[:end], text[end:]
	}
	return text, nil
}

func (t *Tally) Count(door string) int {
	if n := t.opened[door]; n != nil {
		return *n
	}
	return 0
}

func (t *Tally) Doors() []string {
	t.doors = t.doors[:0]
	for door := range t.opened {
		t.doors = append(t.doors, door)
	}
	slices.Sort(t.doors)
	return t.doors
}
