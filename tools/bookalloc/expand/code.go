package expand

import (
	"errors"
	"fmt"
	"go/format"
	"html"
	"path"
	"strings"

	"github.com/rogpeppe/go-internal/diff"

	"onthestack/internal/bookdata"
	"onthestack/internal/step"
)

// read reads "PATH.go:ANCHOR".
func (x *expander) read(arg string) (*bookdata.ListingFile, bookdata.ListingLines, error) {
	name, anchor, _ := strings.Cut(arg, ":")
	file, err := bookdata.ReadListingFile(x.book.Files, name)
	if err != nil {
		return nil, bookdata.ListingLines{}, err
	}
	lines, err := file.Region(anchor)
	return file, lines, err
}

func (x *expander) listing(args []string) (string, error) {
	file, lines, err := x.read(args[0])
	if err != nil {
		return "", err
	}
	return x.caption(file, lines) + shown(file, lines), nil
}

// diff shows how a region differs from another, with a few unchanged lines around each change.
func (x *expander) diff(args []string) (string, error) {
	var texts [2][]byte
	for i, arg := range args {
		file, lines, err := x.read(arg)
		if err != nil {
			return "", err
		}
		texts[i] = []byte(file.Text(lines))
	}
	unified := string(diff.Diff(args[0], texts[0], args[1], texts[1]))
	_, hunks, differ := strings.Cut(unified, "\n@@ ")
	if !differ {
		return "", errors.New("the two are equal")
	}
	return fence("diff", "@@ "+hunks), nil
}

// shown is the fence with lines of a file.
func shown(file *bookdata.ListingFile, lines bookdata.ListingLines) string {
	return fence(strings.TrimPrefix(path.Ext(file.Name), "."), file.Text(lines))
}

// caption names lines of a file.
func (x *expander) caption(file *bookdata.ListingFile, lines bookdata.ListingLines) string {
	// Listings of a chapter often have the same base name; their folder tells them apart.
	short := path.Join(path.Base(path.Dir(file.Name)), path.Base(file.Name))
	return fmt.Sprintf("<p class=\"ots-caption\" title=\"%s\"><code>%s</code>, %s</p>\n\n",
		html.EscapeString(path.Join(x.book.Dir, file.Name)), html.EscapeString(short), lines)
}

// programData is what a page knows of a program that it can run.
type programData struct {
	Body string `json:"body"` // its whole text
}

// run shows a region of a program; the data block has all of it. The caption counts the lines as the page's editor, its
// steps and its reports do, which have the program without anchor comments.
func (x *expander) run(args []string) (string, error) {
	return x.runnable(args[0], x.book.Program, (*bookdata.ListingFile).InWhole)
}

// runnable shows the region "PATH.go:ANCHOR", and lets the page run the program that belongs to it. number converts the
// lines of the region to the ones that the caption names.
func (x *expander) runnable(arg string, program func(string) (string, error),
	number func(*bookdata.ListingFile, bookdata.ListingLines) bookdata.ListingLines,
) (string, error) {
	file, lines, err := x.read(arg)
	if err != nil {
		return "", err
	}
	body, err := program(arg)
	if err != nil {
		return "", err
	}
	return block("program", struct {
		Data  programData
		Shown string
	}{programData{body}, x.caption(file, number(file, lines)) + shown(file, lines)})
}

// program returns the whole text of a program, without the marks of its regions.
func program(file *bookdata.ListingFile) (string, error) {
	whole, err := file.Whole()
	if err != nil {
		return "", err
	}
	body, err := format.Source([]byte(whole))
	if err != nil {
		return "", err
	}
	if !strings.Contains("\n"+string(body), "\npackage main\n") {
		return "", fmt.Errorf("%s is not package main: it cannot be run", file.Name)
	}
	return string(body), nil
}

// Program returns the whole text of a program that a page shows: of "PATH/main.go:ANCHOR", as in {{#run}}.
func (b *Book) Program(arg string) (string, error) {
	file, _, err := newExpander(b).read(arg)
	if err != nil {
		return "", err
	}
	return program(file)
}

// repositoryPlace is the word that a link to the repository replaces in a text, and its address in a command.
const repositoryPlace = "REPOSITORY"

// clone shows the instructions for a clone of the repository, or nothing if the repository's address is unknown.
func (x *expander) clone(args []string) (string, error) {
	return x.inClone(args[0], args[1:]...), nil
}

// inClone returns a paragraph of Markdown with commands below it, or "" if the repository's address is unknown.
func (x *expander) inClone(text string, commands ...string) string {
	address := x.book.Repository
	if address == "" {
		return ""
	}
	block := strings.ReplaceAll(text, repositoryPlace, "[the repository]("+address+")") + "\n"
	if len(commands) > 0 {
		block += "\n" + fence("console",
			strings.ReplaceAll("$ "+strings.Join(commands, "\n$ "), repositoryPlace, address))
	}
	return block
}

// maxSteps bounds the steps that one directive shows, because all of them are in the page.
const maxSteps = 40

// steps shows the stack and the heap of a program, step by step. Without a script the page has the program, and a
// folded list of the steps with their lines as sentences. With the option open a script draws the picture at once, and
// otherwise when the reader asks for it. Sizes that the reader is asked for later are not shown.
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
	if x.asksForBytes(args) {
		d = d.WithoutSizes()
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
