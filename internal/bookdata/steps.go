package bookdata

import (
	"errors"
	"fmt"
	"io/fs"
	"path"
	"strings"

	"onthestack/internal/step"
)

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
