package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"os/signal"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"syscall"

	"github.com/spf13/cobra"

	"onthestack/internal/bookdata"
	"onthestack/internal/exercise"
	"onthestack/internal/printable"
	"onthestack/internal/resultcache"
	"onthestack/tools/bookalloc/expand"
	"onthestack/tools/bookalloc/measure"
	"onthestack/tools/bookalloc/site"
)

// Exit codes.
const (
	exitOK = iota
	exitFailed
	exitUsage
)

// errUsage marks an error in the command line that a command finds by itself.
type errUsage struct{ error }

func run(args []string, stdin io.Reader, stdout, stderr io.Writer) int {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	root := newCommand(stdin, stdout, stderr)
	root.SetArgs(args)
	root.SetOut(stdout)
	root.SetErr(stderr)
	begun := false
	root.PersistentPreRun = func(*cobra.Command, []string) { begun = true }
	command, err := root.ExecuteContextC(ctx)
	switch {
	case err == nil:
		return exitOK
	case !begun, errors.As(err, new(errUsage)):
		fmt.Fprintf(stderr, "bookalloc: %v\n\n%s", err, command.UsageString())
		return exitUsage
	}
	fmt.Fprintln(stderr, err)
	return exitFailed
}

func newCommand(stdin io.Reader, stdout, stderr io.Writer) *cobra.Command {
	root := &cobra.Command{
		Use:   "bookalloc",
		Short: "Expand the book's directives, and measure the book's listings",
		Long: "Bookalloc expands the book's directives, and measures the book's listings. Without a command it is mdBook's\n" +
			"preprocessor: it reads mdBook's JSON on stdin and writes the book.\n\n" +
			"A LISTING is a folder below book/, such as memory-profiling/listings/interface. All commands but the\n" +
			"preprocessor look for book.toml from the current folder upwards.",
		Args:          cobra.NoArgs,
		SilenceErrors: true,
		SilenceUsage:  true,
		RunE:          func(*cobra.Command, []string) error { return preprocess(stdin, stdout) },
	}
	root.CompletionOptions.DisableDefaultCmd = true
	root.AddCommand(
		&cobra.Command{
			Use: "supports RENDERER", Args: cobra.ExactArgs(1),
			Short: "Succeed if the preprocessor supports the renderer",
			RunE: func(_ *cobra.Command, args []string) error {
				if args[0] != "html" {
					return fmt.Errorf("bookalloc serves the html renderer, not %s", args[0])
				}
				return nil
			},
		},
		&cobra.Command{
			Use: "check", Args: cobra.NoArgs,
			Short: "Prove what the pages say",
			Long: "Check proves that every directive of the book and the site can be resolved, that a page shows each listing\n" +
				"with a benchmark, that its listing.toml agrees with the figures of older releases, and that it has\n" +
				"not changed since it was measured; and that each statement about a release of Go has a source.",
			RunE: func(*cobra.Command, []string) error {
				root, book, err := openBook()
				if err != nil {
					return err
				}
				texts, err := expand.ReadPages(os.DirFS(filepath.Join(root, "site", "content")))
				if err != nil && !errors.Is(err, fs.ErrNotExist) {
					return err
				}
				_, err = book.Aside(texts)
				return errors.Join(checkSummary(book), book.Check(), err)
			},
		},
		siteCommand(), measureCommand(stderr), historyCommand(stdout, stderr),
		&cobra.Command{
			Use: "gctrace", Args: cobra.NoArgs,
			Short: "Run a program under several settings of the collector, and write book/measured/gctrace.json",
			RunE: func(c *cobra.Command, _ []string) error {
				root, book, err := openBook()
				if err != nil {
					return err
				}
				return newMeasurer(root, book, stderr).GCTrace(c.Context())
			},
		},
	)
	return root
}

func siteCommand() *cobra.Command {
	c := &cobra.Command{
		Use: "site TEXTS TO", Args: cobra.ExactArgs(2),
		Short: "Write the data of the site around the book into the folder TO",
		Long: "Site writes the pages in the folder TEXTS with their directives expanded, and the chapters, exercises and\n" +
			"listings, into the folder TO.",
	}
	repository := c.Flags().String("repo", "", "the `URL` from which the repository can be cloned")
	c.RunE = func(_ *cobra.Command, args []string) error {
		_, book, err := openBook()
		if err != nil {
			return err
		}
		book.Repository = *repository
		return site.Write(book, os.DirFS(args[0]), args[1])
	}
	return c
}

// sampled is the number of listings that --check --since measures although they have not changed.
const sampled = 10

// A checking has the flags of measure and history: whether to compare with what is stored, the folder in which
// measurements are cached, and the commit since which listings count as changed.
type checking struct {
	check       bool
	keep, since string
}

func (f *checking) addTo(c *cobra.Command, check string) {
	c.Flags().BoolVar(&f.check, "check", false, check+", and compare with what is stored")
	c.Flags().StringVar(&f.keep, "keep", "", "with --check: cache the measurements in the folder `DIR`")
	c.Flags().StringVar(&f.since, "since", "", fmt.Sprintf("with --check: measure only the listings that have changed "+
		"since `COMMIT`, and %d others", sampled))
}

// cached returns the cache of measurements and the sample of all listings that --check measures, nil for none and for
// all of them.
func (f *checking) cached(root, book string, all []string) (cache *resultcache.Cache, sample map[string]bool, err error) {
	if f.keep != "" {
		if cache, err = resultcache.Open(f.keep, root, measure.Code); err != nil {
			return nil, nil, err
		}
	}
	if f.since != "" {
		sample, err = bookdata.Sample(root, book, f.since, sampled, all)
	}
	return cache, sample, err
}

// listings returns the names of listings relative to the book's folder. The shell completes them from the repository's
// root.
func listings(args []string, book string) (names []string) {
	for _, name := range args {
		names = append(names, strings.TrimPrefix(path.Clean(filepath.ToSlash(name)), book+"/"))
	}
	return names
}

func measureCommand(stderr io.Writer) *cobra.Command {
	c := &cobra.Command{
		Use:   "measure [LISTING…]",
		Short: "Measure the listings that the book shows on today's Go, and write book/measured/",
	}
	var flags checking
	flags.addTo(c, "measure allocs/op and B/op again")
	c.RunE = func(c *cobra.Command, args []string) error {
		root, book, err := openBook()
		if err != nil {
			return err
		}
		wanted, err := book.Wanted()
		if err != nil {
			return err
		}
		names := listings(args, book.Dir)
		if len(names) > 0 {
			if err := wanted.Only(names, !flags.check); err != nil {
				return errUsage{err}
			}
		}
		m := newMeasurer(root, book, stderr)
		if !flags.check {
			return m.Update(c.Context(), wanted, len(names) == 0)
		}
		if m.Cache, m.Sample, err = flags.cached(root, book.Dir, slices.Sorted(maps.Keys(wanted.Listings))); err != nil {
			return err
		}
		return m.Check(c.Context(), wanted, len(names) == 0)
	}
	return c
}

func historyCommand(stdout, stderr io.Writer) *cobra.Command {
	c := &cobra.Command{
		Use:   "history [LISTING…]",
		Short: "Measure listings on releases of Go from 1.4 on, and write book/measured/history.json",
		Long: "History measures listings on the releases of Go, from 1.4 to the newest, on which they are not measured or\n" +
			"have changed, and writes book/measured/history.json. The default is all listings with a benchmark. An\n" +
			"interrupted run stores what it has measured, and the next run continues there.",
	}
	var flags checking
	flags.addTo(c, "measure again on the oldest release, on the articles' releases and on the newest")
	dry := c.Flags().BoolP("dry-run", "n", false, "measure, print, and write nothing")
	only := c.Flags().StringSlice("go", nil, "measure on these `RELEASES` only, such as go1.8,go1.27")
	c.RunE = func(c *cobra.Command, args []string) error {
		if *dry && flags.check {
			return errUsage{errors.New("use -n or --check, not both")}
		}
		root, book, err := openBook()
		if err != nil {
			return err
		}
		names := listings(args, book.Dir)
		h, err := measure.OpenHistory(root, book.Dir, names)
		if err != nil {
			return err
		}
		h.Progress, h.Only = printable.NewStatusLine(stderr), *only
		switch {
		case flags.check:
			if h.Cache, h.Sample, err = flags.cached(root, book.Dir, h.Listings()); err != nil {
				return err
			}
			err = h.Check(c.Context())
		case *dry:
			err = h.Print(c.Context(), stdout)
		default:
			err = h.Update(c.Context(), len(names) == 0)
		}
		if c.Context().Err() != nil {
			err = errors.New("interrupted: the next run continues here")
		}
		return err
	}
	return c
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
