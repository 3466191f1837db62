package expand

import (
	"fmt"
	"go/format"
	"html"
	"path"
	"strings"

	"onthestack/internal/bookdata"
)

// read reads "PATH.go:ANCHOR".
func (x *expander) read(arg string) (*bookdata.ListingFile, bookdata.ListingLines, error) {
	name, anchor, _ := strings.Cut(arg, ":")
	file, err := x.file(name)
	if err != nil {
		return nil, bookdata.ListingLines{}, err
	}
	lines, err := file.Region(anchor)
	return file, lines, err
}

// file reads a file of a listing, once.
func (x *expander) file(name string) (*bookdata.ListingFile, error) {
	if file, ok := x.files[name]; ok {
		return file, nil
	}
	file, err := bookdata.ReadListingFile(x.book.Files, name)
	if err == nil {
		x.files[name] = file
	}
	return file, err
}

func (x *expander) listing(args []string) (string, error) {
	file, lines, err := x.read(args[0])
	if err != nil {
		return "", err
	}
	return x.captioned(file, lines), nil
}

// captioned is a fence with its caption.
func (x *expander) captioned(file *bookdata.ListingFile, lines bookdata.ListingLines) string {
	return x.caption(file, lines) + fence(strings.TrimPrefix(path.Ext(file.Name), "."), file.Text(lines))
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

// run shows a region of a program; the data block has all of it.
func (x *expander) run(args []string) (string, error) {
	file, lines, err := x.read(args[0])
	if err != nil {
		return "", err
	}
	body, err := program(file)
	if err != nil {
		return "", err
	}
	return x.runnable(file, lines, body)
}

// runnable shows a region of a file, and lets the page run a program.
func (x *expander) runnable(file *bookdata.ListingFile, lines bookdata.ListingLines, body string) (string, error) {
	data, err := dataBlock(programData{body})
	if err != nil {
		return "", err
	}
	return "<div class=\"ots-program\">\n" + data + "\n" + x.captioned(file, lines) + "\n</div>\n", nil
}

// program returns the whole text of a program, without the marks of its regions.
func program(file *bookdata.ListingFile) (string, error) {
	whole, err := file.Region("")
	if err != nil {
		return "", err
	}
	body, err := format.Source([]byte(file.Text(whole)))
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
