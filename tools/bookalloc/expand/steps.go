package expand

import (
	"fmt"
	"path"
	"strings"

	"onthestack/internal/bookdata"
	"onthestack/internal/step"
)

// maxSteps bounds the steps that one directive shows, because all of them are in the page.
const maxSteps = 40

// steps shows the stack and the heap of a program, step by step. Without a script the page has the program, and lists
// the steps with their lines as sentences. With the option open a script draws the picture at once, and otherwise when
// the reader asks for it.
func (x *expander) steps(args []string) (string, error) {
	name := path.Join(args[0], args[1])
	file, err := bookdata.ReadListingFile(x.book.Files, name)
	if err != nil {
		return "", err
	}
	body, err := program(file)
	if err != nil {
		return "", err
	}
	recorded, err := bookdata.ReadRecordedSteps(x.book.Files, name, body)
	if err != nil {
		return "", err
	}
	d, option := recorded.Steps, optional(args, 2)
	switch {
	case option != "" && option != "open":
		return "", fmt.Errorf("%q is not open", option)
	case len(d.Steps) > maxSteps:
		return "", fmt.Errorf("the program has %d steps: a page shows at most %d", len(d.Steps), maxSteps)
	}
	// The sentences name lines of the program as it ran, which has no anchor comments.
	whole := bookdata.ListingLines{First: 1, Last: strings.Count(body, "\n")}
	return block("steps", struct {
		Open    string
		Data    *step.Document
		Caption string
		Body    string
	}{option, d, x.caption(file, whole), body})
}
