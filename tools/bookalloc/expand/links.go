package expand

import (
	"fmt"
	"io/fs"
	"net/url"
	"path"
	"path/filepath"
	"strings"
)

// links reports links inside the book whose destination does not exist. mdBook does not check them.
func (b *Book) links(expanded []*Document) (problems []error) {
	ids := map[string]map[string]bool{}
	for i, p := range b.Pages {
		ids[p.Path] = expanded[i].IDs()
	}
	for i, p := range b.Pages {
		for _, link := range b.parse()[i].Links() {
			if err := b.link(p.Path, link.Destination, ids); err != nil {
				problems = append(problems, fmt.Errorf("%s:%d: link to %s: %w", path.Join(b.Dir, p.Path), link.Line,
					link.Destination, err))
			}
		}
	}
	return problems
}

// link checks the destination of a link on the page from.
func (b *Book) link(from, destination string, ids map[string]map[string]bool) error {
	u, err := url.Parse(destination)
	switch {
	case err != nil:
		return err
	case u.Scheme != "" || u.Host != "":
		return nil
	case strings.HasPrefix(u.Path, "/"):
		return fmt.Errorf("make the link relative to this page, because the book may be served below any path")
	}
	to := from
	if u.Path != "" {
		to = path.Join(path.Dir(from), u.Path)
	}
	targets, isPage := ids[to]
	if !isPage {
		if path.Ext(to) == ".md" {
			return fmt.Errorf("no page %s: add it to SUMMARY.md, or correct the link", to)
		}
		info, err := fs.Stat(b.Files, to)
		if err != nil || info.IsDir() {
			return fmt.Errorf("no file %s/%s", b.Dir, to)
		}
		return nil
	}
	if u.Fragment != "" && !targets[u.Fragment] {
		return fmt.Errorf("%s has no heading or id %q", to, u.Fragment)
	}
	return nil
}

// HTMLPath returns the path, in the built book's folder, of the file that mdBook makes from a page.
func HTMLPath(page string) string {
	dir, file := path.Split(page)
	if file == "README.md" {
		file = "index.md"
	}
	return dir + strings.TrimSuffix(file, ".md") + ".html"
}

// relative returns the path of the HTML of page to, relative to the HTML of page from.
func relative(from, to string) string {
	rel, err := filepath.Rel(path.Dir(HTMLPath(from)), HTMLPath(to))
	if err != nil {
		panic(err) // both are relative to the book's folder
	}
	return filepath.ToSlash(rel)
}
