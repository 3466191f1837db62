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
	h := hash(door)
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

// hash is FNV-1a.
func hash(door []byte) uint64 {
	h := uint64(14695981039346656037)
	for _, c := range door {
		h = (h ^ uint64(c)) * 1099511628211
	}
	return h
}

func field(text []byte) (first, rest []byte) {
	text = bytes.TrimLeft(text, blanks)
	if end := bytes.IndexAny(text, blanks); end >= 0 {
		return text[:end], text[end:]
	}
	return text, nil
}

func (t *Tally) Count(door string) int {
	if n := t.opened[hash([]byte(door))]; n != nil {
		return n.n
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
