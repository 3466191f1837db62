package testmain

import (
	"errors"
	"io"
	"reflect"
	"time"
)

// deps is what package testing asks of the program that it is in. "go test" gives it internal/testdeps, which brings
// along regular expressions, profiles in their written form, JSON and fuzzing: more code than package testing itself. A
// check chooses no tests by pattern, writes no profiles of testing's own and fuzzes nothing, so nothing here is ever
// asked but ImportPath and ModulePath.
//
// The method set is the same in Go 1.26 and 1.27; testing.MainStart promises none, so a later release may ask for
// another.
type deps struct{}

// seed is testing's corpusEntry.
type seed = struct {
	Parent     string
	Path       string
	Data       []byte
	Values     []any
	Generation int
	IsSeed     bool
}

var errNotHere = errors.New("a program that is checked does not do that: use \"go test\"")

func (deps) ImportPath() string                    { return "" }
func (deps) ModulePath() string                    { return "" }
func (deps) MatchString(_, _ string) (bool, error) { return false, errNotHere }

// an exit before the report is written fails the check anyhow
func (deps) SetPanicOnExit0(bool)                              {}
func (deps) StartCPUProfile(io.Writer) error                   { return errNotHere }
func (deps) StopCPUProfile()                                   {}
func (deps) StartTestLog(io.Writer)                            {}
func (deps) StopTestLog() error                                { return nil }
func (deps) WriteProfileTo(string, io.Writer, int) error       { return errNotHere }
func (deps) RunFuzzWorker(func(seed) error) error              { return errNotHere }
func (deps) ReadCorpus(string, []reflect.Type) ([]seed, error) { return nil, errNotHere }
func (deps) CheckCorpus([]any, []reflect.Type) error           { return errNotHere }
func (deps) ResetCoverage()                                    {}
func (deps) SnapshotCoverage()                                 {}

func (deps) CoordinateFuzzing(
	time.Duration, int64, time.Duration, int64, int, []seed, []reflect.Type, string, string,
) error {
	return errNotHere
}

func (deps) InitRuntimeCoverage() (mode string, tearDown func(string, string) (string, error), snapcov func() float64) {
	return "", nil, nil
}
