package bookdata

import (
	"fmt"
	"io/fs"
)

// OutputFile has what programs and commands of the book print. It is in the book's folder.
const OutputFile = MeasuredDir + "/output.json"

// Output is the content of OutputFile.
type Output struct {
	GeneratedBy string                    `json:"generated_by"`
	Listings    map[string]*ListingOutput `json:"listings"` // by their folders in the book's
}

// A ListingOutput has what the commands about one listing print.
type ListingOutput struct {
	Go       string              `json:"go"`
	Source   string              `json:"source"`   // hash of the listing's files
	Commands map[string][]string `json:"commands"` // the lines that a command prints
}

// ReadOutput reads OutputFile from the book's folder.
func ReadOutput(book fs.FS) (*Output, error) {
	o := new(Output)
	return o, read(book, OutputFile, MeasureCommand, o)
}

// Write writes the output below dir, the book's folder.
func (o *Output) Write(dir string) error {
	o.GeneratedBy = MeasureCommand
	return write(dir, OutputFile, o)
}

// Of returns the output of a command about a listing in the book's folder. It is an error if the listing has changed
// since the command was run.
func (o *Output) Of(book fs.FS, listing, command string) ([]string, error) {
	files, err := ReadPackage(book, listing)
	if err != nil {
		return nil, err
	}
	l := o.Listings[listing]
	if l == nil || l.Commands[command] == nil || l.Source != HashFiles(files) {
		return nil, fmt.Errorf("%s has no output of %q as %s is now: run \"make measure\"", OutputFile, command, listing)
	}
	return l.Commands[command], nil
}

// RunCommand is the command that runs a listing that is a program, at the repository's root.
func RunCommand(bookDir, listing string) string { return "go run ./" + bookDir + "/" + listing }
