package command

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"

	"onthestack/internal/owncode/compare"
	"onthestack/internal/owncode/userpkg"
	"onthestack/internal/present"
	"onthestack/internal/printable"
	"onthestack/internal/safefile"
	"onthestack/tools/checkalloc/app"
)

// A baselinePackage is a package with benchmarks, and its folder in its module, which is "." or slash-separated.
type baselinePackage struct {
	userpkg.Metadata
	folder string
}

// baselinePackages returns the packages with benchmarks that the patterns name, which are all of one module.
func (c *compareCall) baselinePackages(ctx context.Context, patterns []string) ([]baselinePackage, error) {
	if len(patterns) == 0 {
		patterns = []string{"./..."}
	}
	listed, err := benchmarkedPackages(ctx, userpkg.Config{Tags: c.tags}, patterns)
	if err != nil {
		return nil, err
	}
	var all []baselinePackage
	for _, p := range listed {
		folder, err := filepath.Rel(p.Module.Dir, p.Dir)
		if p.Module.Dir == "" || err != nil || p.Module.Dir != listed[0].Module.Dir {
			return nil, app.Usagef("a baseline is of the packages of one module: %s is in none, or in another than %s",
				p.ImportPath, listed[0].ImportPath)
		}
		all = append(all, baselinePackage{p, filepath.ToSlash(folder)})
	}
	return all, nil
}

// measurePackages measures packages, calls each with them, and goes on after an error. It returns all errors.
func (c *compareCall) measurePackages(
	ctx context.Context, packages []baselinePackage, each func(baselinePackage, *measuredSide) error,
) error {
	line := printable.NewStatusLine(c.Err)
	defer line.Clear()
	var failed []error
	for i, p := range packages {
		line.Show("measuring %s, %d of %d", p.ImportPath, i+1, len(packages))
		stop := explainDelay(line, p.ImportPath)
		side, err := c.measure(ctx, p.Dir)
		stop()
		if err == nil {
			side.Label = "working tree"
			err = errors.Join(each(p, side), side.close())
		}
		if ctx.Err() != nil {
			return errors.Join(ctx.Err(), err)
		}
		if err != nil {
			failed = append(failed, fmt.Errorf("%s: %w", p.ImportPath, err))
		}
	}
	return errors.Join(failed...)
}

// readBaseline reads the baseline of a module.
func (c *compareCall) readBaseline(module string) (*compare.Baseline, []byte, error) {
	data, err := safefile.ReadLinked(c.baseline, c.baseline, compare.MaxBaseline)
	if errors.Is(err, fs.ErrNotExist) && !c.update {
		return nil, nil, fmt.Errorf("%s does not exist: \"%s compare --baseline %[1]s --update\" writes it", c.baseline,
			c.Program)
	}
	if errors.Is(err, fs.ErrNotExist) {
		return compare.NewBaseline(module), nil, nil
	}
	if err != nil {
		return nil, nil, err
	}
	b, err := compare.ReadBaseline(data, c.baseline)
	if err == nil && b.Module() != module {
		err = fmt.Errorf("%s is the baseline of module %s, not of %s", c.baseline, b.Module(), module)
	}
	return b, data, err
}

// compareBaseline compares packages with the baseline. It also returns an error of each package that could not be
// measured.
func (c *compareCall) compareBaseline(ctx context.Context, patterns []string) (all []compared, err error) {
	packages, err := c.baselinePackages(ctx, patterns)
	if err != nil {
		return nil, err
	}
	b, _, err := c.readBaseline(packages[0].Module.Path)
	if err != nil {
		return nil, err
	}
	label := filepath.Base(c.baseline)
	add := func(folder string, new compare.Side, side *measuredSide) error {
		result, err := compare.Compare(b.Side(folder, label), new)
		if err == nil {
			all = append(all, compared{result, side})
		}
		return err
	}
	err = c.measurePackages(ctx, packages, func(p baselinePackage, s *measuredSide) error {
		return add(p.folder, s.Side, s)
	})
	for _, folder := range b.Dirs() {
		if !hasGo(filepath.Join(packages[0].Module.Dir, filepath.FromSlash(folder))) {
			err = errors.Join(err, add(folder, compare.Side{Label: "working tree"}, nil))
		}
	}
	return all, err
}

// updateBaseline measures packages and writes their figures into the baseline, which keeps the other packages that
// still exist. If a package cannot be measured, it writes nothing.
func (c *compareCall) updateBaseline(ctx context.Context, patterns []string) error {
	packages, err := c.baselinePackages(ctx, patterns)
	if err != nil {
		return err
	}
	b, old, err := c.readBaseline(packages[0].Module.Path)
	if err != nil {
		return err
	}
	if err := c.measurePackages(ctx, packages, func(p baselinePackage, s *measuredSide) error {
		return b.Set(p.folder, s.Side)
	}); err != nil {
		return err
	}
	for _, folder := range b.Dirs() {
		if !hasGo(filepath.Join(packages[0].Module.Dir, filepath.FromSlash(folder))) {
			b.Remove(folder)
		}
	}
	data := b.Bytes()
	did := "was written"
	if bytes.Equal(data, old) {
		did = "has these figures already"
	} else if err := app.WriteFile(c.baseline, data); err != nil {
		return err
	}
	n, benchmarks := b.Size()
	fmt.Fprintf(c.Out, "%s %s: %s of %s\n", printable.Clean(c.baseline), did, present.Plural(benchmarks, "benchmark"),
		present.Plural(n, "package"))
	return nil
}
