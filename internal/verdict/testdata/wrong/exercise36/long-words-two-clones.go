// Words of more than 64 bytes are cloned one by one.
// want: benchmark
package harbor

import "strings"

type Call struct {
	Ship string
	Quay string
}

func Parse(line string) (Call, bool) {
	ship, rest, _ := strings.Cut(line, " ")
	quay, _, _ := strings.Cut(rest, " ")
	if ship == "" || quay == "" {
		return Call{}, false
	}
	if n := len(ship) + 1 + len(quay); n <= 64 {
		words := strings.Clone(line[:n])
		return Call{Ship: words[:len(ship)], Quay: words[len(ship)+1:]}, true
	}
	return Call{strings.Clone(ship), strings.Clone(quay)}, true
}
