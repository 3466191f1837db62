package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"os/signal"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"syscall"

	"github.com/spf13/pflag"

	"onthestack/internal/bookdata"
	"onthestack/internal/exercise"
	"onthestack/internal/resultcache"
	"onthestack/tools/bookalloc/expand"
	"onthestack/tools/bookalloc/measure"
	"onthestack/tools/bookalloc/site"
)

const usage = `bookalloc expands the book's directives, and measures the book's listings with today's Go.

usage:
  bookalloc                             as mdBook's preprocessor: read its JSON on stdin, write the book
  bookalloc supports RENDERER           succeed if the preprocessor supports the renderer
  bookalloc check                       prove that every directive and every link of the book can be resolved,
                                        that a page shows each listing with a benchmark, that its listing.toml
                                        agrees with the figures of older releases, and that it has not changed
                                        since it was measured; and that each statement about a release of Go
                                        has a source
  bookalloc site [--repo URL] TEXTS TO  write the data of the site around the book into the folder TO: the pages
                                        in TEXTS with their directives expanded, and the chapters, exercises and
                                        listings
  bookalloc measure [LISTING…]          measure the listings that the book shows, and write book/measured/
  bookalloc measure --check [LISTING…]  measure allocs/op and B/op again and compare them with the stored figures;
                                        prove of each listing.toml what check proves. With --keep DIR, cache the
                                        measurements in DIR. With --since COMMIT, measure only the listings that
                                        have changed since, and 20 others

  bookalloc gctrace                     run a program of the book under several settings of the garbage collector,
                                        and write book/measured/gctrace.json
  bookalloc sources TARGET              write the hashes of the Go files that the target book or engine of make is
                                        built from into .cache/TARGET.sources, if they have changed

A LISTING is a folder below book/, such as memory-profiling/listings/interface. All commands but the
preprocessor look for book.toml from the current folder upwards. tools/history measures older releases.
`

// Exit codes.
const (
	exitOK = iota
	exitFailed
	exitUsage
)

// errUsage marks an error in the command line.
type errUsage struct{ error }

func run(args []string, stdin io.Reader, stdout, stderr io.Writer) int {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	err := dispatch(ctx, args, stdin, stdout, stderr)
	var wrong errUsage
	switch {
	case err == nil, errors.Is(err, pflag.ErrHelp):
		return exitOK
	case errors.As(err, &wrong):
		fmt.Fprintf(stderr, "bookalloc: %v\n\n%s", err, usage)
		return exitUsage
	}
	fmt.Fprintln(stderr, err)
	return exitFailed
}

func dispatch(ctx context.Context, args []string, stdin io.Reader, stdout, stderr io.Writer) error {
	if len(args) == 0 {
		return preprocess(stdin, stdout)
	}
	command, args := args[0], args[1:]
	switch command {
	case "supports":
		if len(args) != 1 {
			return errUsage{errors.New("supports takes the name of one renderer")}
		}
		if args[0] != "html" {
			return fmt.Errorf("bookalloc serves the html renderer, not %s", args[0])
		}
		return nil
	case "check":
		if len(args) > 0 {
			return errUsage{fmt.Errorf("check takes no arguments, but there is %q", args[0])}
		}
		_, book, err := openBook()
		if err != nil {
			return err
		}
		return errors.Join(checkSummary(book), book.Check())
	case "site":
		flags := pflag.NewFlagSet("site", pflag.ContinueOnError)
		flags.SetOutput(io.Discard)
		repository := flags.String("repo", "", "")
		if err := flags.Parse(args); err != nil {
			return errUsage{err}
		}
		if flags.NArg() != 2 {
			return errUsage{errors.New("site takes the folder with the site's pages, and the one to write to")}
		}
		_, book, err := openBook()
		if err != nil {
			return err
		}
		book.Repository = *repository
		return site.Write(book, os.DirFS(flags.Arg(0)), flags.Arg(1))
	case "measure":
		return runMeasure(ctx, args, stdout, stderr)
	case "gctrace":
		if len(args) > 0 {
			return errUsage{fmt.Errorf("gctrace takes no arguments, but there is %q", args[0])}
		}
		root, book, err := openBook()
		if err != nil {
			return err
		}
		return newMeasurer(root, book, stderr).GCTrace(ctx)
	case "sources":
		if len(args) != 1 || targetPrograms[args[0]] == nil {
			return errUsage{errors.New("sources takes the target book or engine")}
		}
		return updateSources(".", args[0])
	case "help", "-h", "-help", "--help":
		fmt.Fprint(stdout, usage)
		return nil
	}
	return errUsage{fmt.Errorf("unknown command %q", command)}
}

// sampled is the number of listings that measure --check --since measures although they have not changed.
const sampled = 20

func runMeasure(ctx context.Context, args []string, stdout, stderr io.Writer) error {
	flags := pflag.NewFlagSet("measure", pflag.ContinueOnError)
	flags.SetOutput(io.Discard)
	check := flags.Bool("check", false, "")
	keep := flags.String("keep", "", "")
	since := flags.String("since", "", "")
	if err := flags.Parse(args); err != nil {
		if errors.Is(err, pflag.ErrHelp) {
			fmt.Fprint(stdout, usage)
			return err
		}
		return errUsage{err}
	}
	root, book, err := openBook()
	if err != nil {
		return err
	}
	wanted, err := book.Wanted()
	if err != nil {
		return err
	}
	var names []string
	for _, name := range flags.Args() {
		// The shell completes the path from the repository's root, with the book's folder.
		names = append(names, strings.TrimPrefix(path.Clean(filepath.ToSlash(name)), book.Dir+"/"))
	}
	if len(names) > 0 {
		if err := wanted.Only(names, !*check); err != nil {
			return errUsage{err}
		}
	}
	m := newMeasurer(root, book, stderr)
	if *check {
		if *keep != "" {
			if m.Cache, err = resultcache.Open(*keep, root, measure.Code); err != nil {
				return err
			}
		}
		if *since != "" {
			all := slices.Sorted(maps.Keys(wanted.Listings))
			if m.Sample, err = bookdata.Sample(root, book.Dir, *since, sampled, all); err != nil {
				return err
			}
		}
		return errors.Join(m.Check(ctx, wanted, len(names) == 0), book.Prove(names))
	}
	return m.Update(ctx, wanted, len(names) == 0)
}

// newMeasurer returns a Measurer that reports its progress on stderr.
func newMeasurer(root string, book *expand.Book, stderr io.Writer) *measure.Measurer {
	return measure.New(root, book.Dir, func(format string, args ...any) { fmt.Fprintf(stderr, format+"\n", args...) })
}

// newBook returns a book without its pages.
func newBook(root, src string) (*expand.Book, error) {
	catalog, err := exercise.Sealed()
	if err != nil {
		return nil, err
	}
	return &expand.Book{Dir: filepath.ToSlash(src), Files: os.DirFS(filepath.Join(root, src)), Catalog: catalog}, nil
}
