package testmain

import (
	"errors"
	"io"
	"reflect"
	"time"
)

// deps implements what package testing requires of its program. "go test" passes it internal/testdeps, which links
// regular expressions, encoders of profiles, JSON and fuzzing: more code than package testing itself. A check selects
// no tests by pattern, writes no profiles of package testing and fuzzes nothing, so of these methods only ImportPath
// and ModulePath are ever called.
//
// The method set is the same in Go 1.26 and 1.27. testing.MainStart promises none, so a later release may require
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

var errUnsupported = errors.New("a program under check does not support this: use \"go test\"")

func (deps) ImportPath() string                    { return "" }
func (deps) ModulePath() string                    { return "" }
func (deps) MatchString(_, _ string) (bool, error) { return false, errUnsupported }

// Package testing would panic at an exit with code 0. A check needs no panic: it fails when the report is incomplete.
func (deps) SetPanicOnExit0(bool)                              {}
func (deps) StartCPUProfile(io.Writer) error                   { return errUnsupported }
func (deps) StopCPUProfile()                                   {}
func (deps) StartTestLog(io.Writer)                            {}
func (deps) StopTestLog() error                                { return nil }
func (deps) WriteProfileTo(string, io.Writer, int) error       { return errUnsupported }
func (deps) RunFuzzWorker(func(seed) error) error              { return errUnsupported }
func (deps) ReadCorpus(string, []reflect.Type) ([]seed, error) { return nil, errUnsupported }
func (deps) CheckCorpus([]any, []reflect.Type) error           { return errUnsupported }
func (deps) ResetCoverage()                                    {}
func (deps) SnapshotCoverage()                                 {}

func (deps) CoordinateFuzzing(
	time.Duration, int64, time.Duration, int64, int, []seed, []reflect.Type, string, string,
) error {
	return errUnsupported
}

func (deps) InitRuntimeCoverage() (mode string, tearDown func(string, string) (string, error), snapcov func() float64) {
	return "", nil, nil
}
