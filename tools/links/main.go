// Links reads the built site and reports its broken links, or lists the links to other sites.
//
//	links [--base URL] [--part] [--external] FOLDER
//
// It assumes that a plain static server shows the folder at the base address: a folder's index.html at its path, and
// 404.html at any path that does not exist. Every link and anchor of pages, style sheets, feed and sitemap is resolved
// within the folder; nothing is fetched. With --part, the folder is a part of the site, such as the book: links out of
// it are not followed, and all have to be relative, because the site may be served below any path. Pages are parsed
// with golang.org/x/net/html as the HTML standard requires, so that entities and <base> mean what they mean in a
// browser, and no tool other than Go is needed.
package main

import (
	"errors"
	"fmt"
	"io"
	"maps"
	"net/url"
	"os"
	"slices"
	"strings"

	"github.com/spf13/pflag"
)

const usage = "usage: links [--base URL] [--part] [--external] FOLDER"

func main() {
	os.Exit(run(os.Args[1:], os.Stdout, os.Stderr))
}

func run(args []string, stdout, stderr io.Writer) int {
	err := links(args, stdout)
	if err == nil {
		return 0
	}
	fmt.Fprintln(stderr, "links:", err)
	if errors.Is(err, errUsage) {
		return 2
	}
	return 1
}

var errUsage = errors.New(usage)

func links(args []string, out io.Writer) error {
	flags := pflag.NewFlagSet("links", pflag.ContinueOnError)
	flags.SetOutput(io.Discard)
	base := flags.String("base", "http://127.0.0.1:8080/", "the address that the site was built for")
	part := flags.Bool("part", false, "do not follow links out of the folder, which is a part of a site")
	external := flags.Bool("external", false, "list the links to other sites, and the pages that have them")
	if err := flags.Parse(args); err != nil {
		return fmt.Errorf("%w (%w)", errUsage, err)
	}
	if flags.NArg() != 1 {
		return errUsage
	}
	at, err := url.Parse(*base)
	if err != nil || at.Host == "" || !strings.HasSuffix(at.Path, "/") {
		return fmt.Errorf("%w: --base %s is not an address such as https://example.org/workbook/", errUsage, *base)
	}
	tree, err := readTree(os.DirFS(flags.Arg(0)), at, *part)
	if err != nil {
		return fmt.Errorf("read the site in %s: %w", flags.Arg(0), err)
	}
	if *external {
		pages := tree.external()
		for _, link := range slices.Sorted(maps.Keys(pages)) {
			fmt.Fprintln(out, link)
			for _, name := range slices.Sorted(slices.Values(pages[link])) {
				fmt.Fprintln(out, "    "+name)
			}
		}
		return nil
	}
	broken, followed := tree.broken()
	for _, b := range broken {
		fmt.Fprintln(out, b)
	}
	if len(broken) > 0 {
		return fmt.Errorf("%d links of the site are broken", len(broken))
	}
	fmt.Fprintf(out, "%d links in %d files below %s: all destinations exist.\n", followed, len(tree.sources), at.Path)
	return nil
}
