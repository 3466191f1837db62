// Survey runs checkalloc on well-known modules that this project does not use, and prints a table in Markdown.
//
//	survey [--checkalloc FILE] explain|suggest [MODULE@VERSION[/FOLDER]...]
//
// For "explain" it compares the figures of each benchmark with the output of "go test". For "suggest" it counts what
// became of the candidates, and prints each proven edit, so that a person can read it. Without modules it takes the
// ones in modules.txt. It needs the network for modules that the module cache does not have. It runs the checkalloc of
// this clone, unless --checkalloc names another.
package main

import (
	"context"
	_ "embed"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"

	"github.com/spf13/pflag"
)

const usage = "usage: survey [--checkalloc FILE] explain|suggest [MODULE@VERSION[/FOLDER]...]"

// wellKnown names the packages of a survey, one on each line.
//
//go:embed modules.txt
var wellKnown string

func main() {
	os.Exit(run(os.Args[1:], os.Stdout, os.Stderr))
}

func run(args []string, stdout, stderr io.Writer) int {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	err := survey(ctx, args, stdout, stderr)
	if err == nil {
		return 0
	}
	fmt.Fprintln(stderr, "survey:", err)
	if errors.Is(err, errUsage) {
		return 2
	}
	return 1
}

var errUsage = errors.New(usage)

func survey(ctx context.Context, args []string, stdout, stderr io.Writer) (err error) {
	flags := pflag.NewFlagSet("survey", pflag.ContinueOnError)
	flags.SetOutput(io.Discard)
	checkalloc := flags.String("checkalloc", "", "")
	if err := flags.Parse(args); err != nil {
		return fmt.Errorf("%w (%w)", errUsage, err)
	}
	args = flags.Args()
	if len(args) == 0 || args[0] != "explain" && args[0] != "suggest" {
		return errUsage
	}
	names := args[1:]
	if len(names) == 0 {
		names = strings.Fields(wellKnown)
	}
	var subjects []subject
	for _, name := range names {
		s, err := parseSubject(name)
		if err != nil {
			return err
		}
		subjects = append(subjects, s)
	}
	dir, err := os.MkdirTemp("", "survey")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	if *checkalloc == "" {
		*checkalloc = filepath.Join(dir, "checkalloc")
		build := exec.CommandContext(ctx, "go", "build", "-o", *checkalloc, "onthestack/tools/checkalloc")
		if out, err := build.CombinedOutput(); err != nil {
			return fmt.Errorf("build checkalloc: %w\n%s", err, out)
		}
	}
	w := &workbench{dir: dir, checkalloc: *checkalloc, progress: stderr}
	if args[0] == "explain" {
		return w.table(ctx, subjects, stdout, explainTitle, explainColumns, w.explain)
	}
	return w.table(ctx, subjects, stdout, suggestTitle, suggestColumns, w.suggest)
}
