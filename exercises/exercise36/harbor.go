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
	return Call{Ship: ship, Quay: quay}, true
}
