// Command history measures the book's listings on every available release of Go, and writes book/measured/history.json.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"slices"
	"strings"
	"syscall"

	"github.com/spf13/pflag"

	"onthestack/internal/bookdata"
	"onthestack/internal/printable"
	"onthestack/internal/resultcache"
)

const usage = `history measures the book's listings on releases of Go, from 1.4 to the newest.

usage:
  history [LISTING…]          measure what is missing or has changed, and write book/measured/history.json
  history -n [LISTING…]       measure, print, and write nothing
  history --check [LISTING…]  measure again on the oldest release, on the articles' releases and on the newest,
                              and compare with the stored figures

flags:
  --go go1.8,go1.27           measure on these releases only
  --keep DIR                  with --check: cache the measurements in DIR
  --since COMMIT              with --check: measure only the listings that have changed since, and 20 others

A LISTING is a folder below book/, such as memory-profiling/listings/interface. The default is all listings with a
benchmark. An interrupted run stores what it has measured, and the next run continues there.
`

// Exit codes.
const (
	exitOK = iota
	exitFailed
	exitUsage
)

func main() {
	os.Exit(run(os.Args[1:], os.Stdout, os.Stderr))
}

func run(args []string, stdout, stderr io.Writer) int {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	flags := pflag.NewFlagSet("history", pflag.ContinueOnError)
	flags.SetOutput(io.Discard)
	dry := flags.BoolP("dry-run", "n", false, "")
	check := flags.Bool("check", false, "")
	only := flags.String("go", "", "")
	keep := flags.String("keep", "", "")
	since := flags.String("since", "", "")
	switch err := flags.Parse(args); {
	case errors.Is(err, pflag.ErrHelp):
		fmt.Fprint(stdout, usage)
		return exitOK
	case err == nil && *dry && *check:
		err = errors.New("use -n or --check, not both")
		fallthrough
	case err != nil:
		fmt.Fprintf(stderr, "history: %v\n\n%s", err, usage)
		return exitUsage
	}

	err := func() error {
		b, err := open(flags.Args())
		if err != nil {
			return err
		}
		b.progress = printable.NewStatusLine(stderr)
		if *only != "" {
			b.only = strings.Split(*only, ",")
		}
		switch {
		case *check:
			if *keep != "" {
				b.cache, err = resultcache.Open(*keep, filepath.Dir(b.dir), code)
				if err != nil {
					return err
				}
			}
			if *since != "" {
				if b.sample, err = b.sampleSince(*since); err != nil {
					return err
				}
			}
			return b.check(ctx)
		case *dry:
			return b.print(ctx, stdout)
		}
		return b.update(ctx, len(flags.Args()) == 0)
	}()
	if ctx.Err() != nil {
		err = errors.New("interrupted: the next run continues here")
	}
	if err != nil {
		fmt.Fprintln(stderr, "history:", err)
		return exitFailed
	}
	return exitOK
}

// bookFolder is the book's folder at the root of the repository.
const bookFolder = "book"

// code is the package that measures, for resultcache.Open.
const code = "./tools/history"

// A book has the listings to measure, and their stored history.
type book struct {
	dir      string
	listings []*subject
	history  *bookdata.History
	only     []string // minor releases; nil for all
	progress *printable.StatusLine
	cache    *resultcache.Cache // cache of measurements; nil for none
	sample   map[string]bool    // the listings that check measures again; nil for all
}

// open finds the book around the current folder and reads the named listings, or all.
func open(names []string) (*book, error) {
	root, err := bookdata.FindRepository()
	if err != nil {
		return nil, err
	}
	b := &book{dir: filepath.Join(root, bookFolder)}
	if b.listings, err = subjects(os.DirFS(b.dir), names); err != nil {
		return nil, err
	}
	b.history, err = bookdata.ReadHistory(os.DirFS(b.dir))
	return b, err
}

// sampled is the number of listings that -since measures although they have not changed.
const sampled = 20

// sampleSince returns the listings that have changed since a commit, and some others.
func (b *book) sampleSince(commit string) (map[string]bool, error) {
	var names []string
	for _, s := range b.listings {
		names = append(names, s.name)
	}
	return bookdata.Sample(filepath.Dir(b.dir), bookFolder, commit, sampled, names)
}

// wants reports whether the command line asks for a minor release.
func (b *book) wants(release string) bool { return b.only == nil || slices.Contains(b.only, release) }
