package build

import (
	"context"
	"strings"

	"onthestack/internal/compilelink"
	"onthestack/internal/execution"
)

// goos and goarch are the platform that an Isolated builds for.
const goos, goarch = "wasip1", "wasm"

// direct is what an Isolated builds with by itself.
func (t *Isolated) direct() compilelink.Toolchain {
	return compilelink.Toolchain{
		Go: goVersion(t.release.version), GOOS: goos, GOARCH: goarch,
		Archives: t.archives.Load(), LinkFlags: strings.Fields(linkFlags), Concurrency: concurrency(),
	}
}

// directProgram plans the build of a program; false where only the go command knows what it is to be.
func (t *Isolated) directProgram(p compilelink.Program) (compilelink.ProgramPlan, bool) {
	if t.options.CommandOnly {
		return compilelink.ProgramPlan{}, false
	}
	return t.direct().Program(p)
}

// directTest plans the build of a test binary; false where only the go command knows what it is to be.
func (t *Isolated) directTest(src execution.Source) (compilelink.TestPlan, bool) {
	if t.options.CommandOnly {
		return compilelink.TestPlan{}, false
	}
	return t.direct().Test(src)
}

// BuildTest implements verdict.Builder: one build of the package's test binary, with the escape report. Where it can it does what
// "go test -c" does by itself, and links a main package that needs less; see harness.Main.
func (t *Isolated) BuildTest(ctx context.Context, src execution.Source) (*execution.Build, error) {
	p := compilelink.Program{Files: src.Files, Test: true}
	if why := p.Refuse(); why != "" {
		return t.refused(why), nil
	}
	ctx, cancel := t.limits.WithTimeout(ctx)
	defer cancel()
	return t.within(func(j *job) error {
		if err := t.prepareFor(ctx, src.Files); err != nil {
			return err
		}
		if plan, ok := t.directTest(src); ok {
			return j.direct(ctx, plan.Build, j.binary())
		}
		if err := lay(j.source(), src.Files); err != nil {
			return err
		}
		// Vet has no say in a verdict.
		return j.command(ctx, p, src.Dir, "test", "-c", "-vet=off", "-gcflags=-m=2", "-buildvcs=false", "-ldflags="+linkFlags, "-o", j.binary())
	})
}
