package userpkg

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"go/token"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"

	"golang.org/x/tools/cover"

	"onthestack/internal/build"
	"onthestack/internal/execution"
	"onthestack/internal/harness"
)

// TestOptions say how to run the tests of a package.
type TestOptions struct {
	Limit time.Duration // all tests together are stopped after this time
	Args  []string      // arguments of the program, as for MeasureOptions
	Skip  string        // the name of a test that does not run
}

// A TestResult is the outcome of a package's tests, or of vet.
type TestResult struct {
	OK     bool
	Output []byte
}

// buildTime bounds the build of tests.
const buildTime = 10 * time.Minute

// Test runs the package's tests, without its benchmarks, by the program that measures them. It runs in the package's
// folder and with the user's own environment.
func (p *Package) Test(ctx context.Context, o TestOptions) (TestResult, error) {
	ctx, cancel := context.WithTimeout(ctx, o.Limit+time.Second)
	defer cancel()
	skip := harness.OverlayTests
	if o.Skip != "" {
		skip += "|^" + o.Skip + "$"
	}
	args := []string{"-test.paniconexit0", "-test.skip=" + skip, "-test.timeout=" + o.Limit.String()}
	result, err := p.run(ctx, build.Limits{}, p.Built.dir, p.Dir, p.Built.Binary, slices.Concat(args, o.Args)...)
	result.Output = p.printed(result.Output)
	return result, err
}

// aloneLimits bound a test that is run alone.
var aloneLimits = build.Limits{Time: 5 * time.Second, ProcessLimits: execution.ProcessLimits{Memory: 2 << 30}}

// TestAlone runs one test by the program that measures the benchmarks, with bounds on its time and memory, and returns
// what it printed until then.
func (p *Package) TestAlone(ctx context.Context, name string, args []string) ([]byte, error) {
	ctx, cancel := context.WithTimeout(ctx, aloneLimits.Time)
	defer cancel()
	result, err := p.run(ctx, aloneLimits, p.Built.dir, p.Dir, p.Built.Binary, slices.Concat([]string{
		"-test.paniconexit0", "-test.run=^" + name + "$", "-test.timeout=" + aloneLimits.Time.String()}, args)...)
	return result.Output, err
}

// Race runs the package's tests with the race detector.
func (p *Package) Race(ctx context.Context, o TestOptions) (TestResult, error) {
	args := []string{"test", "-race", "-count=1", "-vet=off", "-timeout=" + o.Limit.String()}
	if o.Skip != "" {
		args = append(args, "-skip=^"+o.Skip+"$")
	}
	ctx, cancel := context.WithTimeout(ctx, buildTime+o.Limit)
	defer cancel()
	return p.goCommand(ctx, args, o.Args)
}

// Vet runs go vet on the package.
func (p *Package) Vet(ctx context.Context) (TestResult, error) {
	ctx, cancel := context.WithTimeout(ctx, buildTime)
	defer cancel()
	return p.goCommand(ctx, []string{"vet"}, nil)
}

// goCommand runs the go command on the package with its edited files.
func (p *Package) goCommand(ctx context.Context, command, testArgs []string) (TestResult, error) {
	dir, err := os.MkdirTemp("", buildFolder)
	if err != nil {
		return TestResult{}, err
	}
	defer removeAll(dir)
	overlaid, err := p.overlay(dir).flag()
	if err != nil {
		return TestResult{}, err
	}
	args := slices.Concat(command, overlaid, p.config.buildFlags(), []string{p.ImportPath})
	if len(testArgs) > 0 {
		args = append(append(args, "-args"), testArgs...)
	}
	result, err := p.run(ctx, build.Limits{}, dir, p.config.Dir, "go", args...)
	result.Output = p.hidePaths(dir, result.Output)
	return result, err
}

// run runs a command and keeps the beginning and the end of what it prints.
func (p *Package) run(ctx context.Context, limits build.Limits, tmp, dir, name string, args ...string) (
	TestResult, error) {
	if err := os.MkdirAll(filepath.Join(tmp, "tmp"), 0o700); err != nil {
		return TestResult{}, err
	}
	parent := ctx
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	output := &headTail{meter: &execution.Meter{Left: maxPrinted, Full: cancel}}
	env := slices.Concat(os.Environ(), p.env, []string{"GOTMPDIR=" + filepath.Join(tmp, "tmp")})
	cmd := execution.Command(ctx, limits.ProcessLimits, dir, env, name, args...)
	cmd.Stdout, cmd.Stderr = output, output
	err := cmd.Run()
	var exit *exec.ExitError
	switch {
	case parent.Err() != nil && !errors.Is(parent.Err(), context.DeadlineExceeded):
		return TestResult{}, context.Cause(parent)
	case err != nil && !errors.As(err, &exit) && ctx.Err() == nil:
		return TestResult{}, fmt.Errorf("run the tests of %s: %w", p.ImportPath, err)
	}
	return TestResult{err == nil, output.bytes()}, nil
}

var testName = regexp.MustCompile(`(?m)^(Test|Fuzz|Example)\S*`)

// A Coverage is which tests of a package execute which of its lines, and how often.
type Coverage struct {
	Tests  []string // the top-level tests, fuzz tests with their seeds, and examples
	blocks map[string][]coveredBlock
	// Named is true if each test ran alone, so that Executed names all tests that execute a line.
	Named bool
}

type coveredBlock struct {
	start, end token.Position // without the file
	count      int            // of all tests together
	by         []int          // the tests that execute it, by index
}

func before(a, b token.Position) bool {
	return a.Line < b.Line || a.Line == b.Line && a.Column < b.Column
}

// Bounds on how many tests run alone to find out which lines each executes, and for how long.
const (
	maxSingleTests = 64
	singleTestTime = 30 * time.Second
)

// Cover measures which lines the tests execute. Each test runs alone too, up to a bound on their number and time, so
// that Executed can name it.
func (p *Package) Cover(ctx context.Context, o TestOptions) (*Coverage, error) {
	dir, err := os.MkdirTemp("", buildFolder)
	if err != nil {
		return nil, err
	}
	defer removeAll(dir)
	c := &Coverage{blocks: map[string][]coveredBlock{}}
	program := p.program(dir)
	ctx, cancel := context.WithTimeout(ctx, buildTime+o.Limit)
	defer cancel()
	built, err := p.goCommand(ctx, []string{"test", "-c", "-vet=off", "-cover", "-covermode=count", "-o", program}, nil)
	if err != nil {
		return nil, err
	}
	if !built.OK {
		return nil, fmt.Errorf("build the tests of %s with coverage: %s", p.ImportPath, bytes.TrimSpace(built.Output))
	}
	if _, err := os.Stat(program); err != nil { // there are no tests
		return c, nil
	}
	profile := filepath.Join(dir, "profile")
	cover := func(pattern string) error {
		os.Remove(profile)
		_, err := p.run(ctx, build.Limits{}, dir, p.Dir, program, slices.Concat([]string{"-test.run=" + pattern,
			"-test.coverprofile=" + profile, "-test.timeout=" + o.Limit.String()}, o.Args)...)
		return err
	}
	list, err := p.run(ctx, build.Limits{}, dir, p.Dir, program, "-test.list=^(Test|Fuzz|Example)")
	if err != nil {
		return nil, err
	}
	for _, name := range testName.FindAll(list.Output, -1) {
		c.Tests = append(c.Tests, string(name))
	}
	if err := cover("."); err != nil {
		return nil, err
	}
	c.read(profile, -1)
	began := time.Now()
	for i, name := range c.Tests {
		if i == maxSingleTests || time.Since(began) > singleTestTime {
			return c, nil
		}
		if err := cover("^" + name + "$"); err != nil {
			return nil, err
		}
		c.read(profile, i)
	}
	c.Named = true
	return c, nil
}

// read adds the profile of a test, or of all if test is -1. A test that failed may have none.
func (c *Coverage) read(profile string, test int) {
	all, err := cover.ParseProfiles(profile)
	if err != nil {
		return
	}
	for _, p := range all {
		name := p.FileName[strings.LastIndexAny(p.FileName, `/\`)+1:]
		for i, b := range p.Blocks {
			switch {
			case test < 0:
				c.blocks[name] = append(c.blocks[name], coveredBlock{
					start: token.Position{Line: b.StartLine, Column: b.StartCol},
					end:   token.Position{Line: b.EndLine, Column: b.EndCol}, count: b.Count})
			case b.Count > 0 && i < len(c.blocks[name]):
				c.blocks[name][i].by = append(c.blocks[name][i].by, test)
			}
		}
	}
}

// Executed returns how often the tests executed the statements between two places of a file, the least of them if parts
// were executed differently often, and the tests that execute one. It is not known if no statement is there.
func (c *Coverage) Executed(from, to token.Position) (count int, tests []string, known bool) {
	var by []int
	for _, b := range c.blocks[from.Filename] {
		if !before(from, b.end) || !before(b.start, to) && before(from, b.start) {
			continue
		}
		if !known || b.count < count {
			count = b.count
		}
		known = true
		by = append(by, b.by...)
	}
	slices.Sort(by)
	for _, i := range slices.Compact(by) {
		tests = append(tests, c.Tests[i])
	}
	return count, tests, known
}
