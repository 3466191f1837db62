// Two doors with the same 64-bit hash are counted as one.
package tally

import (
	"bytes"
	"slices"
)

type counter struct {
	door string
	n    int
}

type Tally struct {
	opened map[uint64]*counter
}

const blanks = " \t"

func (t *Tally) Line(line []byte) {
	_, rest := field(line)
	door, _ := field(rest)
	if len(door) == 0 {
		return
	}
	h := uint64(14695981039346656037) // FNV-1a
	for _, c := range door {
		h = (h ^ uint64(c)) * 1099511628211
	}
	n := t.opened[h]
	if n == nil {
		if t.opened == nil {
			t.opened = make(map[uint64]*counter)
		}
		n = &counter{door: string(door)}
		t.opened[h] = n
	}
	n.n++
}

func field(text []byte) (first, rest []byte) {
	text = bytes.TrimLeft(text, blanks)
	if end := bytes.IndexAny(text, blanks); end >= 0 {
		return text[:end], text[end:]
	}
	return text, nil
}

func (t *Tally) Count(door string) int {
	for _, n := range t.opened {
		if n.door == door {
			return n.n
		}
	}
	return 0
}

func (t *Tally) Doors() []string {
	var doors []string
	for _, n := range t.opened {
		doors = append(doors, n.door)
	}
	slices.Sort(doors)
	return doors
}
