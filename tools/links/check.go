package main

import (
	"fmt"
	"net/url"
	"slices"
	"strings"
)

// broken lists the broken links, each once for its page, and counts the links within the site.
func (t *tree) broken() (faults []string, followed int) {
	for _, s := range t.sources {
		told := map[string]bool{}
		fault := func(raw, what string) {
			if !told[raw] {
				faults = append(faults, fmt.Sprintf("%s: %q %s", s.name, raw, what))
			}
			told[raw] = true
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
				if l.own {
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
