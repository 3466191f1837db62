package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"onthestack/internal/compare"
	"onthestack/internal/printable"
	"onthestack/internal/progress"
	"onthestack/internal/render"
	"onthestack/internal/toolchain"
	"onthestack/internal/verdict"
)

// A comparing is how compare was called, beside its arguments.
type comparing struct {
	base     string // the revision to compare the working tree with; "" to compare two files
	markdown bool
	// measure runs the benchmarks of the package in a folder. The source is asked for before the next call.
	measure func(ctx context.Context, dir string) (v *verdict.Verdict, source func(file string) []byte, err error)
}

// compare tells what changed between two saved verdicts, or between a revision and the working tree. The exit code is 1 where
// something allocates more.
func (c *command) compare(ctx context.Context, args []string, how comparing) (int, error) {
	if c.json && how.markdown {
		return 0, usageError("compare: --json or --markdown, not both")
	}
	var result *compare.Comparison
	var err error
	switch {
	case how.base == "" && len(args) == 2:
		result, err = compareFiles(args[0], args[1])
	case how.base == "":
		return 0, usageError("compare needs two saved verdicts, or a revision: \"%s compare OLD.json NEW.json\", \"%s compare --base REV [PKG]\"", c.self, c.self)
	case len(args) > 1:
		return 0, usageError("compare --base takes one package: \"%s compare --base %s ./PKG\"", c.self, how.base)
	default:
		result, err = c.compareRevision(ctx, slices.Concat(args, []string{"."})[0], how)
	}
	if err != nil {
		return 0, err
	}
	switch {
	case c.json:
		err = c.encoder().Encode(result)
	case how.markdown:
		err = result.WriteMarkdown(printable.NewWriter(c.plain))
	default:
		render.Comparison(c.out, result, render.Options{Width: c.width, Command: c.self})
	}
	if err != nil {
		return 0, err
	}
	if result.More {
		return exitNotYet, nil
	}
	return exitPassed, nil
}

func compareFiles(old, new string) (*compare.Comparison, error) {
	var sides [2]compare.Side
	for i, name := range []string{old, new} {
		f, err := os.Open(name)
		if err != nil {
			return nil, err
		}
		sides[i].Label = name
		sides[i].Verdict, err = compare.Read(f, name)
		f.Close()
		if err != nil {
			return nil, err
		}
	}
	if err := compare.SamePackage(sides[0].Verdict, sides[1].Verdict); err != nil {
		return nil, err
	}
	return compare.Compare(sides[0], sides[1])
}

// compareRevision compares a package of the working tree with the one in the same folder at the base.
func (c *command) compareRevision(ctx context.Context, pkg string, how comparing) (result *compare.Comparison, err error) {
	dir, err := packageFolder(ctx, pkg)
	if err != nil {
		return nil, err
	}
	base, err := findRevision(ctx, dir, how.base)
	if err != nil {
		return nil, err
	}
	line := progress.New(c.err)
	defer line.Clear()
	line.Show("taking %s out of the repository", base.label())
	tree, err := base.checkout(ctx)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, tree.remove()) }()

	old := compare.Side{Label: base.label()}
	if was := filepath.Join(tree.root, base.folder); hasGo(was) {
		line.Show("measuring %s", base.label())
		stop := slowly(line, "the package at "+base.label())
		old.Verdict, old.Source, err = how.measure(ctx, was)
		stop()
		if err != nil {
			return nil, tree.hide(fmt.Errorf("at %s: %w", base.label(), err))
		}
	}
	new := compare.Side{Label: "working tree"}
	line.Show("measuring the working tree")
	if new.Verdict, new.Source, err = how.measure(ctx, dir); err != nil {
		return nil, err
	}
	if result, err = compare.Compare(old, new); err != nil {
		return nil, tree.hide(err)
	}
	return result, nil
}

// packageFolder is the folder of a package that is named by a path that begins with a dot, an absolute one, or its import path.
func packageFolder(ctx context.Context, pkg string) (string, error) {
	if strings.Contains(pkg, "...") {
		return "", usageError("compare --base takes one package, not %s", pkg)
	}
	slashed := filepath.ToSlash(pkg)
	if !filepath.IsAbs(pkg) && slashed != "." && slashed != ".." && !strings.HasPrefix(slashed, "./") && !strings.HasPrefix(slashed, "../") {
		packages, err := toolchain.InPlace{}.List(ctx, pkg)
		if err != nil {
			return "", mistaken(err)
		}
		if len(packages) != 1 || packages[0].Dir == "" {
			why := "no package of that name"
			if len(packages) == 1 && packages[0].Error != nil {
				why = packages[0].Error.Err
			}
			return "", usageError("%s: %s; a folder is named with a dot: ./%s", pkg, why, pkg)
		}
		pkg = packages[0].Dir
	}
	dir, err := filepath.Abs(pkg)
	if err != nil {
		return "", err
	}
	if !hasGo(dir) {
		return "", usageError("%s: no Go package in this folder", pkg)
	}
	return dir, nil
}

// hasGo reports whether a folder has Go files.
func hasGo(dir string) bool {
	entries, err := os.ReadDir(dir)
	return err == nil && slices.ContainsFunc(entries, func(e os.DirEntry) bool { return !e.IsDir() && strings.HasSuffix(e.Name(), ".go") })
}

// told is what a command that failed said, or how it failed.
func told(err error) string {
	var exit *exec.ExitError
	if errors.As(err, &exit) {
		if text := strings.TrimSpace(string(exit.Stderr)); text != "" {
			return text
		}
	}
	return err.Error()
}
