// The tally has two copies of the name of each door, one in the map and one for Doors.
// wasm: true
package tally

import (
	"bytes"
	"slices"
)

type Tally struct {
	names  []string
	opened map[string]*int // by door
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
		t.names = append(t.names, string(door))
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
	doors := slices.Clone(t.names)
	slices.Sort(doors)
	return doors
}
