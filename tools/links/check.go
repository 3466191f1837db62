package main

import (
	"fmt"
	"maps"
	"net/url"
	"slices"
	"strings"
)

// pageless are the schemes of links that do not lead to a page.
var pageless = map[string]bool{"mailto": true, "blob": true}

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
			case pageless[given.Scheme]:
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
			what := ""
			if strings.HasPrefix(l.raw, "#") && s.base == "" {
				what = s.missing(to.Fragment) // an anchor within the page itself
			} else {
				what = t.fault(to)
			}
			if what != "" {
				fault(l.raw, what)
			}
		}
	}
	return faults, followed
}

// An externalLink is a link to another site.
type externalLink struct {
	target string
	pages  []string
}

// external lists the links to other sites, in order.
func (t *tree) external() []externalLink {
	found := map[string]map[string]bool{}
	for _, s := range t.sources {
		for _, l := range s.links {
			to, err := url.Parse(l.raw)
			if err != nil || to.Host == "" || t.inside(to) || s.anchors == nil {
				continue
			}
			if found[l.raw] == nil {
				found[l.raw] = map[string]bool{}
			}
			found[l.raw][s.name] = true
		}
	}
	var links []externalLink
	for _, target := range slices.Sorted(maps.Keys(found)) {
		links = append(links, externalLink{target, slices.Sorted(maps.Keys(found[target]))})
	}
	return links
}
