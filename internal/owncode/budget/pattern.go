package budget

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
)

// A pattern selects sub-benchmarks as the part of a "go test -bench" pattern after the function's name does:
// alternatives, each with a regular expression for each level of the name. The empty pattern selects all.
type pattern [][]*regexp.Regexp

func compile(text string) (pattern, error) {
	var p pattern
	for _, alternative := range split(text, '|') {
		var levels []*regexp.Regexp
		for _, level := range split(alternative, '/') {
			re, err := regexp.Compile(level)
			if err != nil {
				return nil, fmt.Errorf("%q is not a regular expression", shorten(level))
			}
			levels = append(levels, re)
		}
		p = append(p, levels)
	}
	return p, nil
}

// split splits text at a character that is neither in brackets nor escaped.
func split(text string, at byte) []string {
	var parts []string
	from, round, square := 0, 0, false
	for i := 0; i < len(text); i++ {
		switch c := text[i]; {
		case c == '\\':
			i++
		case c == ']':
			square = false
		case square:
		case c == '[':
			square = true
		case c == '(':
			round++
		case c == ')':
			round--
		case c == at && round == 0:
			parts = append(parts, text[from:i])
			from = i + 1
		}
	}
	return append(parts, text[from:])
}

// matches reports whether p selects the benchmark. Name is what follows the function's name and a slash, "" for the
// function itself, which only the empty pattern selects.
func (p pattern) matches(name string) bool {
	if p == nil {
		return true
	}
	levels := strings.Split(name, "/")
	return slices.ContainsFunc(p, func(alternative []*regexp.Regexp) bool {
		for i, re := range alternative {
			if i == len(levels) || !re.MatchString(levels[i]) {
				return false
			}
		}
		return name != "" // below the pattern's last level, everything is selected
	})
}
