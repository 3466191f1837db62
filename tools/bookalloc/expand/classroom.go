package expand

import (
	"fmt"

	"onthestack/internal/bookdata/classroom"
)

// classroom is a figure of a class that works against the runner.
func (x *expander) classroom(args []string) (figure, error) {
	if x.class == nil {
		f, err := classroom.Read(x.book.Files)
		if err != nil {
			return figure{}, err
		}
		x.class = f
	}
	kind, name := "", args[0]
	if len(args) == 2 {
		kind, name = args[0], args[1]
	}
	text, err := x.class.Figure(kind, name)
	return figure{text, fmt.Sprintf("%s %s, %d cores", x.class.Go, x.class.Platform, x.class.Cores)}, err
}
