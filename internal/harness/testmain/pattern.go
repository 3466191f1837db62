package testmain

import "strings"

// A pattern selects benchmarks as -bench of "go test" does: its parts between slashes are matched with the elements of
// a name, and of alternatives between bars one has to match.
type pattern struct {
	alternatives [][]string // parts
	match        func(pattern, text string) (bool, error)
}

// newPattern divides the text of a pattern at slashes and bars that are in no brackets and not escaped.
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
				i++ // it stands for itself here
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

// selects reports whether a benchmark is wanted (full), and whether one below it may be (partial). A pattern that is no
// regular expression selects nothing.
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
