package testmain

import "strings"

// A pattern selects benchmarks as -bench of "go test" does: its alternatives are separated by bars, and the parts of an
// alternative, separated by slashes, are matched with the elements of a name.
type pattern struct {
	alternatives [][]string // parts
	match        func(pattern, text string) (bool, error)
}

// newPattern splits the text of a pattern at slashes and bars that are neither in brackets nor escaped.
func newPattern(text string) pattern {
	parts, alternatives := []string{}, [][]string{}
	from, round, square := 0, 0, false
	end := func(i int) {
		parts = append(parts, text[from:i])
		from = i + 1
	}
	for i := 0; i < len(text); i++ {
		switch c := text[i]; {
		case c == '\\':
			i++
		case square:
			square = c != ']'
		case c == '[':
			square = true
			if i+1 < len(text) && text[i+1] == ']' {
				i++ // a ] right after the opening bracket is literal
			}
		case c == '(':
			round++
		case c == ')':
			round--
		case round > 0:
		case c == '/':
			end(i)
		case c == '|':
			end(i)
			parts, alternatives = nil, append(alternatives, parts)
		}
	}
	end(len(text))
	return pattern{alternatives: append(alternatives, parts)}
}

// selects reports whether a benchmark is wanted (full), and whether a sub-benchmark of it may be (partial). A pattern
// that is not a valid regular expression selects nothing.
func (p pattern) selects(name string) (full, partial bool) {
	elements := strings.Split(name, "/")
	for _, parts := range p.alternatives {
		matches := true
		for i, part := range parts[:min(len(parts), len(elements))] {
			ok, err := p.match(part, elements[i])
			matches = matches && ok && err == nil
		}
		full = full || matches && len(elements) >= len(parts)
		partial = partial || matches && len(elements) < len(parts)
	}
	return full, partial
}
