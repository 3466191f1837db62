package bookdata

import (
	"errors"
	"fmt"
	"io/fs"
	"path"
	"regexp"
	"strconv"
	"strings"

	"onthestack/internal/step"
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

// stepsDir is the folder of the files with steps, in the book's folder.
const stepsDir = MeasuredDir + "/steps"

// RecordedSteps are the steps of one program of the book.
type RecordedSteps struct {
	GeneratedBy string         `json:"generated_by"`
	Program     string         `json:"program"` // its file in the book's folder, slash-separated
	Go          string         `json:"go"`      // the release that built it: "go1.26.8"
	Steps       *step.Document `json:"steps"`
}

// StepsFile is the name of the file with a program's steps, in the book's folder.
func StepsFile(program string) string {
	return path.Join(stepsDir, strings.ReplaceAll(program, "/", "-")+".json")
}

// ReadRecordedSteps reads the steps of a program. It is an error if they were recorded from another program than text,
// which is the program as the book runs it.
func ReadRecordedSteps(book fs.FS, program, text string) (*RecordedSteps, error) {
	r := new(RecordedSteps)
	err := read(book, StepsFile(program), "make measure", r)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, fmt.Errorf("the steps of %s are not recorded: run \"make measure\"", program)
	case err != nil:
		return nil, err
	case r.Steps == nil || len(r.Steps.Steps) == 0:
		return nil, fmt.Errorf("%s has no steps: run \"make measure\"", StepsFile(program))
	case r.Steps.Files["prog.go"] != text:
		return nil, fmt.Errorf("%s has changed since its steps were recorded: run \"make measure\"", program)
	}
	return r, nil
}

// Write writes the steps below dir, the book's folder.
func (r *RecordedSteps) Write(dir string) error {
	r.GeneratedBy = MeasureCommand
	return write(dir, StepsFile(r.Program), r)
}

// StepsFiles returns the files with steps, in order.
func StepsFiles(book fs.FS) ([]string, error) { return fs.Glob(book, stepsDir+"/*.json") }

// GCTraceFile is the file of the measured runs of a program under several settings of the garbage collector, relative
// to the book's folder.
const GCTraceFile = "measured/gctrace.json"

// GCTraceCommand is the command that measures them.
const GCTraceCommand = "go run ./tools/bookalloc gctrace"

// GCTrace has what a program's runs print about its collections.
type GCTrace struct {
	GeneratedBy string  `json:"generated_by"`
	Go          string  `json:"go"`
	Platform    string  `json:"platform"`
	Line        string  `json:"line"` // the last line of the run with the default settings
	Runs        []GCRun `json:"runs"` // by limit, and then by GOGC
}

// A GCRun is one run of the program.
type GCRun struct {
	GOGC        int `json:"gogc"`  // in percent
	Limit       int `json:"limit"` // GOMEMLIMIT in MiB, 0 for none
	Collections int `json:"collections"`
	Heap        int `json:"heap"` // the largest heap at the beginning of a collection, in MB
	Live        int `json:"live"` // what the last collection found live, in MB
	// Share is the part of the processors' time that the collector took until the last collection, in percent.
	Share float64 `json:"share"`
}

// Write writes the runs below dir, the book's folder.
func (t *GCTrace) Write(dir string) error {
	t.GeneratedBy = GCTraceCommand
	return write(dir, GCTraceFile, t)
}

// ReadGCTrace reads GCTraceFile from the book's folder.
func ReadGCTrace(book fs.FS) (*GCTrace, error) {
	t := new(GCTrace)
	return t, read(book, GCTraceFile, GCTraceCommand, t)
}

// traced matches a line of GODEBUG=gctrace=1.
var traced = regexp.MustCompile(`^gc \d+ @[0-9.]+s ([0-9.]+)%: .* (\d+)->\d+->(\d+) MB, \d+ MB goal,`)

// Add counts a line that the program printed, and reports whether it is about a collection.
func (r *GCRun) Add(line string) bool {
	found := traced.FindStringSubmatch(line)
	if found == nil {
		return false
	}
	// The pattern has only digits here.
	heap, _ := strconv.Atoi(found[2])
	r.Share, _ = strconv.ParseFloat(found[1], 64)
	r.Live, _ = strconv.Atoi(found[3])
	r.Heap = max(r.Heap, heap)
	r.Collections++
	return true
}
