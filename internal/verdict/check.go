package verdict

import (
	"context"
	"fmt"
	"maps"
	"slices"

	"onthestack/internal/escape"
	"onthestack/internal/execution"
	"onthestack/internal/exercise"
	"onthestack/internal/harness/wire"
)

// A Builder compiles and links the test binary of a package. A mistake in the package's code is not an error of
// BuildTest: it is reported in the Build's output.
type Builder interface {
	BuildTest(ctx context.Context, src execution.Source) (*execution.Build, error)
}

// A Runner runs test binaries that report as package harness/wire describes.
type Runner interface {
	// Load returns the binary as a program that can be run several times. The binary is prepared only
	// once, and the time for that counts for the first run.
	Load(ctx context.Context, binary string) (execution.TestProgram, error)
	// Engine is "native", "confined" or "wasm".
	Engine() string
}

// A Racer runs a package's tests under the race detector. They run on the machine itself, outside any sandbox, so a
// Racer is only for the caller's own code.
type Racer interface {
	// TestRace builds and runs the package's tests with the race detector or, if operations is not 0, that many
	// operations of each benchmark. If the machine cannot do that, missing names what it lacks ("a C compiler"), and r
	// is empty. The package must build without the race detector.
	TestRace(ctx context.Context, src execution.Source, operations int) (
		r execution.RaceResult, missing string, err error)
}

// A Checker checks solutions of exercises.
type Checker struct {
	Builder Builder
	Runner  Runner
	Racer   Racer // nil for none
	// Serial, unless nil, decides a pass of a solution with goroutines if the race detector did not run: it runs one
	// goroutine at a time, as WebAssembly does. Goroutines that run at the same time can tear a value of two words
	// apart, such as an interface, and write anywhere with it, also over what the benchmark reports.
	Serial *Checker
	// Advise, unless nil, returns what to do next after a check of the solver's files that failed: advice.Of.
	Advise func(e *exercise.Exercise, v *Verdict, files map[string][]byte) []Advice
	// Stage, unless nil, is called with the name of each stage that passed, in order, as soon as that is known, on the
	// goroutine that called the Checker. A failed stage is not reported: it is in the verdict. Measure has no policy
	// stage.
	Stage func(name string)
}

func (c Checker) passed(stage string) {
	if c.Stage != nil {
		c.Stage(stage)
	}
}

// Check builds, tests and measures the solver's files, given by name, as a solution of e. Files that a solver of e may
// not edit are set aside. A missing file that the solver has to edit is reported in the verdict. An error means that
// the check could not be made.
func (c Checker) Check(ctx context.Context, e *exercise.Exercise, files map[string][]byte) (*Verdict, error) {
	v, err := c.check(ctx, e, files)
	if err != nil {
		return nil, err
	}
	return c.advised(e, v, files), nil
}

// advised adds what to do next to a verdict that failed.
func (c Checker) advised(e *exercise.Exercise, v *Verdict, files map[string][]byte) *Verdict {
	if c.Advise != nil && !v.Pass {
		v.Advice = c.Advise(e, v, files)
	}
	return v
}

// Build checks the solver's files as far as to the test binary, and runs nothing. The verdict has what the compiler
// says; its Stage is StageTests if the build succeeded, because the tests have not run. A Builder that caches needs less
// time for the same files afterwards.
func (c Checker) Build(ctx context.Context, e *exercise.Exercise, files map[string][]byte) (*Verdict, error) {
	v, p, err := c.admit(e, files)
	if err != nil || p == nil {
		return v, err
	}
	build, err := c.build(ctx, v, p)
	if err != nil || build == nil {
		return v, err
	}
	build.Close()
	v.Stage = StageTests
	return v, nil
}

// admit begins a verdict on the solver's files. The package is nil if the verdict is that they may not be built.
func (c Checker) admit(e *exercise.Exercise, files map[string][]byte) (*Verdict, *Package, error) {
	v := newVerdict(e.ID, e.Title, c.Runner.Engine())
	v.SetAside = setAside(e, files)

	edited := map[string][]byte{}
	for _, name := range e.Edit {
		if text, ok := files[name]; ok {
			edited[name] = text
		} else {
			v.Errors = append(v.Errors, Problem{
				File: name, Message: "this file is missing: \"checkalloc reset " + e.ID + "\" brings it back",
			})
		}
	}
	p := solution(e, edited)
	p.parse()
	problems, unparsed := policy(e, edited, p)
	v.Errors = append(v.Errors, problems...)

	if len(v.Errors) > 0 {
		v.Stage = StagePolicy
		return v, nil, nil
	}
	if err := p.onlyTests(); err != nil {
		return nil, nil, err
	}
	if p.unparsed = unparsed; len(unparsed) == 0 {
		c.passed(StagePolicy)
	}
	return v, p, nil
}

func (c Checker) check(ctx context.Context, e *exercise.Exercise, files map[string][]byte) (*Verdict, error) {
	v, p, err := c.admit(e, files)
	if err != nil || p == nil {
		return v, err
	}
	if err := c.judge(ctx, v, p); err != nil {
		return nil, err
	}
	if v.Pass && e.Leave {
		v.Note = "Nothing had to be changed: the starter passes too. A question after the exercise asks why."
	}
	if v.Pass && v.Tests.Race.State == RaceNotRun && e.Goroutines && c.Serial != nil {
		if serial, err := c.Serial.check(ctx, e, files); err != nil || !serial.Pass {
			return serial, err
		}
	}
	return v, nil
}

// newVerdict returns an empty verdict. Its lists are not nil, so that JSON has [] and not null for empty ones.
func newVerdict(id, title, engine string) *Verdict {
	return &Verdict{
		Schema: Schema, Exercise: id, Title: title, Engine: engine,
		Errors: []Problem{}, Benchmarks: []Benchmark{}, Allocations: []Allocation{}, Escapes: []escape.Diagnostic{},
		SetAside: []string{},
	}
}

// build builds the test binary of p, and fills in what v says of it. The Build is nil if the verdict is that there is
// no binary, and is otherwise the caller's to close.
func (c Checker) build(ctx context.Context, v *Verdict, p *Package) (*execution.Build, error) {
	source, err := p.source()
	if err != nil {
		return nil, err
	}
	build, err := c.Builder.BuildTest(ctx, source)
	if err != nil {
		return nil, fmt.Errorf("build %s: %w", p.dir(), err)
	}
	v.Go, v.GOOS, v.GOARCH = build.Go, build.GOOS, build.GOARCH
	problems := v.readReport(p, build)
	switch {
	case !build.OK:
		if len(p.unparsed) > 0 {
			c.passed(StagePolicy) // the compiler did not accept the file either
		}
		v.Stage, v.Errors = StageBuild, problems
		build.Close()
		return nil, nil
	case len(p.unparsed) > 0:
		v.Stage, v.Errors = StagePolicy, p.unparsed
		build.Close()
		return nil, nil
	}
	c.passed(StageBuild)
	return build, nil
}

// judge builds, tests and measures p, and fills in v.
func (c Checker) judge(ctx context.Context, v *Verdict, p *Package) error {
	build, err := c.build(ctx, v, p)
	if err != nil || build == nil {
		return err
	}
	defer build.Close()
	program, err := c.Runner.Load(ctx, build.Binary)
	if err != nil {
		return fmt.Errorf("run the tests of %s: %w", p.dir(), err)
	}
	defer program.Close()
	if ok, err := c.test(ctx, v, p, program); err != nil || !ok {
		v.Stage = StageTests
		return err
	}
	c.passed(StageTests)
	if ok, err := c.measure(ctx, v, p, program); err != nil || !ok {
		v.Stage = StageBenchmark
		return err
	}
	v.Pass = true
	if race := v.Tests.Race; race.State == RaceNotRun {
		v.Provisional = "the tests did not run with -race: " + race.Why + "; a data race may have gone unnoticed"
	}
	c.passed(StageBenchmark)
	return nil
}

// test runs the tests, and once more under the race detector if p asks for it. It reports whether they passed.
func (c Checker) test(ctx context.Context, v *Verdict, p *Package, program execution.TestProgram) (ok bool, err error) {
	run, report, err := runPart(ctx, program, wire.Tests)
	if err != nil {
		return false, fmt.Errorf("run the tests of %s: %w", p.dir(), err)
	}
	if v.Tests = tests(p.tests, report, run); v.Tests.Failed > 0 || !p.race {
		return v.Tests.Failed == 0, nil
	}
	if ok, err = c.race(ctx, v, p, 0); err != nil {
		return false, fmt.Errorf("run the tests of %s under the race detector: %w", p.dir(), err)
	}
	return ok, nil
}

// measure runs the benchmarks and compares them with their targets. It reports whether all were met.
func (c Checker) measure(ctx context.Context, v *Verdict, p *Package, program execution.TestProgram) (ok bool,
	err error) {
	// The tests may have corrupted the program's memory, so the benchmarks are measured in a new instance of the
	// program.
	run, report, err := runPart(ctx, program, wire.Benchmarks)
	if err != nil {
		return false, fmt.Errorf("run the benchmarks of %s: %w", p.dir(), err)
	}
	if problem := v.measure(p, report, run); problem != "" {
		v.Tests.Output = problem
		return false, nil
	}
	if slices.ContainsFunc(v.Benchmarks, func(b Benchmark) bool { return !b.Pass }) {
		return false, nil
	}
	if p.race && p.goroutines && v.Tests.Race.State != RaceNotRun {
		if ok, err = c.race(ctx, v, p, RaceOperations); err != nil {
			return false, fmt.Errorf("run the benchmarks of %s under the race detector: %w", p.dir(), err)
		}
		return ok, nil
	}
	return true, nil
}

// readReport reads the compiler's report on p into v.Escapes, and returns the mistakes in it if the build failed.
func (v *Verdict) readReport(p *Package, b *execution.Build) []Problem {
	diagnostics, rest := escape.Parse(b.Output)
	v.Escapes = OfPackage(diagnostics, p.ImportPath)
	escape.MarkStorage(v.Escapes, escape.StoredIn(slices.Collect(maps.Values(p.Syntax))))
	if b.OK {
		return nil
	}
	return buildErrors(p.main(), diagnostics, rest, b.Stop)
}

// runPart runs a part of a program and reads its report.
func runPart(ctx context.Context, program execution.TestProgram, part string) (*execution.TestRun, wire.Report, error) {
	run, err := program.Run(ctx, part)
	if err != nil {
		return nil, wire.Report{}, err
	}
	report, err := wire.Parse(run.Report)
	return run, report, err
}

// setAside returns the names of the files that a check of e does not use.
func setAside(e *exercise.Exercise, files map[string][]byte) []string {
	unused := []string{}
	for _, name := range slices.Sorted(maps.Keys(files)) {
		pristine, known := e.Files[name]
		if name == exercise.ManifestFile {
			pristine, known = e.ManifestText, true
		}
		if !slices.Contains(e.Edit, name) && !(known && string(pristine) == string(files[name])) {
			unused = append(unused, name)
		}
	}
	return unused
}

// Refused returns the verdict on a solution of e whose files cannot be read. It fails at the policy stage: file, or the
// folder around it, cannot be read, and why is the reason with the remedy.
func (c Checker) Refused(e *exercise.Exercise, file, why string) *Verdict {
	v := newVerdict(e.ID, e.Title, c.Runner.Engine())
	v.Stage = StagePolicy
	v.Errors = append(v.Errors, Problem{File: file, Message: why})
	return c.advised(e, v, nil)
}

// RaceOperations is how many operations of each benchmark run under the race detector before a solution passes that may
// start goroutines, which could otherwise race for inputs that only the benchmarks have. It is more than the operations
// that exercises are measured with.
const RaceOperations = 2000

// race runs the tests of p once more, under the race detector, or that many operations of its benchmarks, and completes
// v.Tests. ok is false if they fail there.
func (c Checker) race(ctx context.Context, v *Verdict, p *Package, operations int) (ok bool, err error) {
	if c.Racer == nil {
		v.Tests.Race = Race{RaceNotRun, "the sandbox has no race detector"}
		return true, nil
	}
	r, missing, err := c.Racer.TestRace(ctx, p.plain(), operations)
	if err != nil {
		return false, err
	}
	if missing != "" {
		v.Tests.Race = Race{RaceNotRun, "the race detector needs " + missing}
		return true, nil
	}
	if r.Passed {
		v.Tests.Race = Race{State: RacePassed}
		return true, nil
	}
	v.Tests.Race = Race{State: RaceFailed}
	v.Tests.Output = shorten(r.Output)
	if operations == 0 {
		v.Tests.Failed = max(1, countFailed(p.tests, r.Output))
	}
	switch {
	case r.Stop.Kind != execution.NotStopped:
		v.Tests.Output = "under the race detector: go test " + r.Stop.String() + "\n" + v.Tests.Output
	case !r.Built:
		v.Tests.Output = "with the race detector, under the build tag race, the code does not compile:\n" +
			v.Tests.Output
	case operations > 0:
		v.Tests.Output = "the benchmarks failed under the race detector:\n" + v.Tests.Output
	}
	return false, nil
}
