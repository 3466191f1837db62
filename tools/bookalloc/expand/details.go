package expand

import (
	"fmt"
	"regexp"
	"strings"
)

var detailsTag = regexp.MustCompile(`<(/?)details\b`)

// checkDetails returns an error for each <details> element that is not closed and each end tag without an element. An
// element that is not closed hides the rest of its page. In this book, no such element is inside another.
func (d *Document) checkDetails(name string) (problems []error) {
	open := 0 // the line of the element's beginning, 0 if there is none
	for _, m := range detailsTag.FindAllStringSubmatchIndex(d.text, -1) {
		if d.code.contain(m[0]) {
			continue
		}
		line := 1 + strings.Count(d.text[:m[0]], "\n")
		switch isEnd := m[2] < m[3]; {
		case isEnd && open == 0:
			problems = append(problems, fmt.Errorf("%s:%d: </details> ends nothing: remove it", name, line))
		case isEnd:
			open = 0
		default:
			if open > 0 {
				problems = append(problems, unclosed(name, open))
			}
			open = line
		}
	}
	if open > 0 {
		problems = append(problems, unclosed(name, open))
	}
	return problems
}

func unclosed(name string, line int) error {
	return fmt.Errorf("%s:%d: <details> is not closed: add </details> after its text", name, line)
}
