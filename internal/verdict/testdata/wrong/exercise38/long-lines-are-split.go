// A line of more than 100 KiB is made a string and split.
// want: benchmark
// only: native
package tally

import (
	"bytes"
	"slices"
	"strings"
)

type Tally struct{ opened map[string]*int }

const blanks = " \t"

func (t *Tally) Line(line []byte) {
	if len(line) > 100<<10 {
		fields := strings.FieldsFunc(string(line), func(r rune) bool { return strings.ContainsRune(blanks, r) })
		if len(fields) > 1 {
			t.count([]byte(fields[1]))
		}
		return
	}
	_, rest := field(line)
	door, _ := field(rest)
	if len(door) > 0 {
		t.count(door)
	}
}

func (t *Tally) count(door []byte) {
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
	var doors []string
	for door := range t.opened {
		doors = append(doors, door)
	}
	slices.Sort(doors)
	return doors
}
