package expand

import (
	"fmt"
	"html"
	"path"
	"strconv"
	"strings"

	"onthestack/internal/bookdata"
)

// maxSteps bounds the steps that one directive shows, because all of them are in the page.
const maxSteps = 40

// steps shows the stack and the heap of a program, step by step. Without a script the page has the program, and lists
// the steps with their lines as sentences. With the option open a script draws the picture at once, and otherwise when
// the reader asks for it.
func (x *expander) steps(args []string) (string, error) {
	name := path.Join(args[0], args[1])
	file, err := x.file(name)
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
	d := *recorded.Steps
	class, options := "ots-program ots-stepped", args[2:]
	if n := len(options) - 1; n >= 0 && options[n] == "open" {
		class, options = class+" is-open", options[:n]
	}
	from, to, err := stepRange(options, len(d.Steps))
	if err != nil {
		return "", err
	}
	// Steps before the first one only matter by what they printed.
	for _, s := range d.Steps[:from-1] {
		d.Steps[from-1].Output = s.Output + d.Steps[from-1].Output
	}
	d.Steps = d.Steps[from-1 : to]
	data, err := dataBlock(d)
	if err != nil {
		return "", err
	}
	var b strings.Builder
	// The sentences name lines of the program as it ran, which has no anchor comments.
	whole := bookdata.ListingLines{First: 1, Last: strings.Count(body, "\n")}
	fmt.Fprintf(&b, "<div class=\"%s\">\n%s\n<div class=\"ots-static\">\n\n%s%s\n<ol>\n", class, data,
		x.caption(file, whole), fence("go", body))
	for _, s := range d.Steps {
		lines := strings.Split(d.Files[s.File], "\n")
		fmt.Fprintf(&b, "<li><code>%s</code> %s</li>\n", html.EscapeString(strings.TrimSpace(lines[s.Line-1])),
			html.EscapeString(s.Sentence))
	}
	b.WriteString("</ol>\n</div>\n</div>\n")
	return b.String(), nil
}

// stepRange reads from=N and to=N, which count from 1. The default is all of the steps.
func stepRange(args []string, steps int) (from, to int, err error) {
	from, to = 1, steps
	for _, arg := range args {
		name, value, _ := strings.Cut(arg, "=")
		n, err := strconv.Atoi(value)
		switch {
		case err != nil || name != "from" && name != "to":
			return 0, 0, fmt.Errorf("%q is not from=N or to=N", arg)
		case name == "from":
			from = n
		default:
			to = n
		}
	}
	switch {
	case from < 1 || to > steps || from > to:
		return 0, 0, fmt.Errorf("steps %d to %d: the program has steps 1 to %d", from, to, steps)
	case to-from >= maxSteps:
		return 0, 0, fmt.Errorf("steps %d to %d: a page shows at most %d", from, to, maxSteps)
	}
	return from, to, nil
}
