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
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"

	"github.com/spf13/cobra"
)

// wellKnown names the packages of a survey, one on each line.
//
//go:embed modules.txt
var wellKnown string

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if newCommand().ExecuteContext(ctx) != nil { // which cobra has printed
		os.Exit(1)
	}
}

func newCommand() *cobra.Command {
	root := &cobra.Command{Use: "survey", SilenceUsage: true,
		Short: "Run checkalloc on well-known modules, and print a table in Markdown"}
	root.CompletionOptions.DisableDefaultCmd = true
	checkalloc := root.PersistentFlags().String("checkalloc", "", "the program in `FILE` instead of this clone's")
	command := func(name, short, title string, columns []string, count counter) {
		root.AddCommand(&cobra.Command{
			Use: name + " [MODULE@VERSION[/FOLDER]...]", Short: short,
			RunE: func(c *cobra.Command, args []string) error {
				return survey(c, *checkalloc, args, func(w *workbench, subjects []subject) error {
					return w.table(c.Context(), subjects, c.OutOrStdout(), title, columns, count)
				})
			},
		})
	}
	command("explain", "Compare the figures with the output of go test", explainTitle, explainColumns,
		(*workbench).explain)
	command("suggest", "Count what became of the candidates", suggestTitle, suggestColumns, (*workbench).suggest)
	return root
}

// survey calls do with the named packages, or all that are well known, and a workbench with a program checkalloc.
func survey(c *cobra.Command, checkalloc string, names []string, do func(*workbench, []subject) error) (err error) {
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
	if checkalloc == "" {
		checkalloc = filepath.Join(dir, "checkalloc")
		build := exec.CommandContext(c.Context(), "go", "build", "-o", checkalloc, "onthestack/tools/checkalloc")
		if out, err := build.CombinedOutput(); err != nil {
			return fmt.Errorf("build checkalloc: %w\n%s", err, out)
		}
	}
	return do(&workbench{dir: dir, checkalloc: checkalloc, progress: c.ErrOrStderr()}, subjects)
}
