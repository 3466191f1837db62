package expand

import (
	"fmt"
	"regexp"
)

var detailsTag = regexp.MustCompile(`<(/?)details\b`)

// checkDetails returns an error for each <details> element that is not closed and each end tag without an element. An
// element that is not closed hides the rest of its page. In this book, no such element is inside another.
func (d *Document) checkDetails(name string) (problems []error) {
	open := 0 // the line of the element's beginning, 0 if there is none
	begin := func(line int) {
		if open > 0 {
			problems = append(problems, fmt.Errorf("%s:%d: <details> is not closed: add </details> after its text", name,
				open))
		}
		open = line
	}
	for _, m := range detailsTag.FindAllStringSubmatchIndex(d.text, -1) {
		line := d.lineAt(m[0])
		switch isEnd := m[2] < m[3]; {
		case d.code.contain(m[0]):
		case !isEnd:
			begin(line)
		case open == 0:
			problems = append(problems, fmt.Errorf("%s:%d: </details> ends nothing: remove it", name, line))
		default:
			open = 0
		}
	}
	begin(0)
	return problems
}
