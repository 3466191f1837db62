package main

import (
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"path"
	"slices"
	"strings"
)

// A source is a file with links.
type source struct {
	name    string
	base    string // the href of its <base>, or ""
	links   []link
	anchors map[string]bool // the ids that a fragment can name; nil if the file is not a page
}

// A link is a link as written in its file.
type link struct {
	raw      string
	full     bool // it has to be absolute, because its readers do not know the file's URL
	internal bool // it has to lead to this site
}

// A tree is a built site.
type tree struct {
	base    *url.URL
	part    bool // whether the site has pages outside the folder
	root    fs.FS
	sources []source // sorted by name
	pages   map[string]source
}

func readTree(root fs.FS, base *url.URL, part bool) (*tree, error) {
	t := &tree{base: base, part: part, root: root, pages: map[string]source{}}
	err := fs.WalkDir(root, ".", func(name string, entry fs.DirEntry, err error) error {
		read := readers[path.Ext(name)]
		if err != nil || entry.IsDir() || read == nil {
			return err
		}
		text, err := fs.ReadFile(root, name)
		if err != nil {
			return err
		}
		s, err := read(text)
		if err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		s.name = name
		t.sources = append(t.sources, s)
		if s.anchors != nil {
			t.pages[name] = s
		}
		return nil
	})
	if _, ok := t.pages["index.html"]; err == nil && !ok {
		err = errors.New("there is no index.html: make site builds it")
	}
	return t, err
}

// address returns the address at which a server shows a file.
func (t *tree) address(name string) *url.URL {
	if name == "404.html" {
		name = "no/such/page"
	}
	if path.Base(name) == "index.html" {
		name = strings.TrimSuffix(name, "index.html")
	}
	return t.base.ResolveReference(&url.URL{Path: name})
}

// inside reports whether an address is on the site's own host and, if only a part of the site is read, in that part.
func (t *tree) inside(u *url.URL) bool {
	return u.Scheme == t.base.Scheme && u.Host == t.base.Host &&
		(!t.part || strings.HasPrefix(u.Path, t.base.Path))
}

// fault returns what is wrong with the target of an address on the site's own host, or "".
func (t *tree) fault(u *url.URL) string {
	rest, ok := strings.CutPrefix(u.Path, t.base.Path)
	if !ok {
		return "leaves the site, which is below " + t.base.Path
	}
	name := path.Clean(rest)
	if rest == "" || strings.HasSuffix(rest, "/") {
		name = path.Join(rest, "index.html")
	}
	switch info, err := fs.Stat(t.root, name); {
	case err != nil:
		return "there is no " + name
	case info.IsDir():
		return "is a folder: add a slash at its end"
	}
	if page, ok := t.pages[name]; ok {
		return page.missing(u.Fragment)
	}
	return ""
}

// missing returns a message if the page lacks the anchor that a fragment names, or "". A fragment with "=" names none: it
// is for the page's script, as #open=half-day is on the page of rooms.
func (s source) missing(fragment string) string {
	if fragment == "" || strings.Contains(fragment, "=") || s.anchors[fragment] {
		return ""
	}
	return "no element of " + s.name + " has the id " + fragment
}

// broken lists the broken links, each once for its page, and counts the links within the site.
func (t *tree) broken() (faults []string, followed int) {
	for _, s := range t.sources {
		seen := map[string]bool{}
		fault := func(raw, what string) {
			if !seen[raw] {
				faults = append(faults, fmt.Sprintf("%s: %q %s", s.name, raw, what))
			}
			seen[raw] = true
		}
		from, err := t.address(s.name).Parse(s.base)
		if err != nil {
			fault(s.base, "is not a URL for <base>")
			continue
		}
		for _, l := range s.links {
			if strings.HasPrefix(l.raw, "data:") {
				continue
			}
			given, err := url.Parse(l.raw)
			switch {
			case err != nil:
				fault(l.raw, "is not a URL: "+err.Error())
				continue
			case given.Scheme == "javascript":
				fault(l.raw, "is a script")
				continue
			case given.Scheme == "mailto", given.Scheme == "blob": // they do not lead to a page
				continue
			case t.part && given.Host == "" && strings.HasPrefix(given.Path, "/"):
				fault(l.raw, "is not relative to its page")
				continue
			case l.full && !given.IsAbs():
				fault(l.raw, "is not an absolute URL")
				continue
			}
			to := from.ResolveReference(given)
			if !t.inside(to) {
				if l.internal {
					fault(l.raw, "does not begin with "+t.base.String())
				}
				continue
			}
			followed++
			what := t.fault(to)
			if strings.HasPrefix(l.raw, "#") && s.base == "" {
				what = s.missing(to.Fragment) // an anchor within the page itself
			}
			if what != "" {
				fault(l.raw, what)
			}
		}
	}
	return faults, followed
}

// external returns the pages with links to other sites, by link.
func (t *tree) external() map[string][]string {
	pages := map[string][]string{}
	for name, s := range t.pages {
		for _, l := range s.links {
			to, err := url.Parse(l.raw)
			if err == nil && to.Host != "" && !t.inside(to) && !slices.Contains(pages[l.raw], name) {
				pages[l.raw] = append(pages[l.raw], name)
			}
		}
	}
	return pages
}
