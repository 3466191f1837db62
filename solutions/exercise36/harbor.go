// The task: checkalloc task exercise36

// Package harbor reads the log of a harbor.
package harbor

import "strings"

// A Call is a ship's call at a quay.
type Call struct {
	Ship string
	Quay string
}

// Parse returns the call that a line of the log is about,
// such as
//
//	Silvia Southquay left at 07:58, calm sea, 240 passengers …
//
// The first word is the ship, the second one the quay. Words
// end at a single space or at the end of the line, and every
// other byte is part of a word. If there are fewer than
// two words, or one of the two is empty, Parse returns an
// empty Call and false.
//
// Lines may be long. The caller drops them, and keeps the
// calls for years.
func Parse(line string) (Call, bool) {
	ship, rest, _ := strings.Cut(line, " ")
	quay, _, _ := strings.Cut(rest, " ")
	if ship == "" || quay == "" {
		return Call{}, false
	}
	// Changed: the two words get memory of their own. Before, both were parts of the line, so
	// the line stayed in memory as long as the call. The words stand side by side, and one
	// clone is enough for both.
	words := strings.Clone(line[:len(ship)+1+len(quay)])
	return Call{Ship: words[:len(ship)], Quay: words[len(ship)+1:]}, true
	// The cost: an allocation, and one byte for the space. If the caller only looked at
	// the call and forgot it, the clone would be for nothing. The code that keeps a
	// part should clone it, and the comment above says that calls are kept.
}
