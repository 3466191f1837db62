package expand

import (
	"errors"
	"fmt"
	"go/version"
	"io/fs"
	"maps"
	"net/url"
	"path"
	"regexp"
	"slices"
	"strings"

	"github.com/BurntSushi/toml"

	"onthestack/internal/bookdata"
)

// ClaimsFile has the sources of what the pages say of releases of Go. It is in the book's folder. For each page it has
// the texts that make a claim, and for each text either the address of the source that a person has read, or a listing,
// whose figures have to change where the claim says so:
//
//	["memory-profiling/compiler.md"]
//	"an older release printed a list" = "https://go.dev/doc/go1.13"
//	"the slice stays in the frame since Go 1.25" = "what-changed/listings/unknown-size"
//
// A text is a part of the page's Markdown, with one blank for a line break.
const ClaimsFile = "claims.toml"

var (
	// A claim says when something changed: "since Go 1.5", "up to 1.11", "Go 1.12 brought". A measurement on a
	// release, as in "on Go 1.8 it allocates twice", is not a claim.
	claim = regexp.MustCompile(`(?i)\b(since|until|up to|before|from|after|through)\s+\[?(?:Go )?1\.(\d+)\b` +
		`|\bGo 1\.(\d+)(?:\.\d+)?(?:\]\([^)]*\))? ` +
		`(?:[a-z]+ed|[a-z]+s|made|brought|gave|took|saw|went|sent|had|did|can|left|let|kept|put|came|found)\b`)
	notClaim = regexp.MustCompile(` as$`) // "Go 1.4 as well"
	// sourced is a link to where Go's own history is found.
	sourced = regexp.MustCompile(`\[[^\]]*\]\(https://(?:go\.dev|go\.googlesource\.com|github\.com/golang)/[^)\s]+\)`)
	release = regexp.MustCompile(`\b1\.\d+\b`)
	toPage  = regexp.MustCompile(`\]\(([^)\s#:]+\.md)(?:#[^)\s]*)?\)`)
)

// claims proves that each claim of the pages has a source, and that each entry of ClaimsFile is one of a page.
func (x *expander) claims() (problems []error) {
	sources := map[string]map[string]string{}
	file := path.Join(x.book.Dir, ClaimsFile)
	text, err := fs.ReadFile(x.book.Files, ClaimsFile)
	if err == nil {
		err = toml.Unmarshal(text, &sources)
	}
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return []error{fmt.Errorf("%s: %w", file, err)}
	}
	for i, p := range x.book.Pages {
		passages := x.book.parse()[i].Passages()
		for _, text := range slices.Sorted(maps.Keys(sources[p.Path])) {
			if err := x.source(passages, text, sources[p.Path][text]); err != nil {
				problems = append(problems, fmt.Errorf("%s: %s: %q: %w", file, p.Path, text, err))
			}
		}
		problems = append(problems, x.unsourced(p.Path, passages, sources[p.Path])...)
		delete(sources, p.Path)
	}
	for _, name := range slices.Sorted(maps.Keys(sources)) {
		problems = append(problems, fmt.Errorf("%s: no page %s: correct its name, or remove it", file, name))
	}
	return problems
}

// source proves that a text of ClaimsFile is on its page, makes a claim, and has a source.
func (x *expander) source(passages []Passage, text, source string) error {
	var found bool
	var claims []claimed
	for _, p := range passages {
		if strings.Contains(p.Text, text) {
			found = true
			claims = claimsIn(text)
			for _, r := range p.Since {
				claims = append(claims, claimed{word: "since", release: "go" + r})
			}
		}
	}
	switch {
	case !found:
		return errors.New("the page does not say so: correct the text, or remove it")
	case len(claims) == 0:
		return errors.New("it claims nothing of a release of Go: quote more of the sentence, or remove it")
	case strings.HasPrefix(source, "https://"):
		_, err := url.Parse(source)
		return err
	}
	return x.measuredClaim(source, claims)
}

// A claimed change: the word before the release, "" for none, and the release.
type claimed struct {
	word     string // "since"
	release  string // "go1.5"
	from, to int    // where the text says so, in bytes
}

// claimsIn returns the claims in a text.
func claimsIn(text string) (claims []claimed) {
	for _, m := range claim.FindAllStringSubmatchIndex(text, -1) {
		group := func(i int) string { // "" for a group that took no part
			if m[2*i] < 0 {
				return ""
			}
			return text[m[2*i]:m[2*i+1]]
		}
		if !notClaim.MatchString(group(0)) {
			claims = append(claims, claimed{strings.ToLower(group(1)), "go1." + group(2) + group(3), m[0], m[1]})
		}
	}
	return claims
}

// measuredClaim proves that a listing's figures changed where the claims say.
func (x *expander) measuredClaim(listing string, claims []claimed) error {
	h, err := x.history()
	if err != nil {
		return err
	}
	if h.Listings[listing] == nil {
		return fmt.Errorf("its source %q is neither an https address nor a listing that is measured on old releases",
			listing)
	}
	names, changes := h.Names(), h.Changes(listing)
	first := slices.MinFunc(slices.Collect(maps.Keys(h.Listings[listing])), version.Compare)
	for _, c := range claims {
		on := c.release
		i := slices.Index(names, on)
		if slices.Contains([]string{"up to", "until", "through", "after"}, c.word) && i >= 0 && i+1 < len(names) {
			on = names[i+1]
		}
		// A claim since the first release that was measured holds if all figures are the same.
		if slices.Contains(changes, on) || len(changes) == 0 && c.release == first {
			continue
		}
		return fmt.Errorf("%s did not change on %s in %s: correct the sentence, or name another source", listing, on,
			bookdata.HistoryFile)
	}
	return nil
}

// unsourced finds the claims of a page that have no source.
func (x *expander) unsourced(name string, passages []Passage, sources map[string]string) (problems []error) {
	for _, p := range passages {
		bare := func(at int, text string) {
			problems = append(problems,
				fmt.Errorf("%s:%d: %q has no source: link the words to it, or add the sentence to %s",
					path.Join(x.book.Dir, name), p.LineOf(at), text, path.Join(x.book.Dir, ClaimsFile)))
		}
		covered := spans(p.Text, sources)
		for _, c := range claimsIn(p.Text) {
			if !slices.ContainsFunc(covered, func(span []int) bool { return span[0] < c.to && c.from < span[1] }) {
				bare(c.from, p.Text[c.from:c.to])
			}
		}
		listed := slices.ContainsFunc(slices.Collect(maps.Keys(sources)),
			func(text string) bool { return strings.Contains(p.Text, text) })
		for _, r := range p.Since {
			if !listed && !x.seen(name, p.Text, r) {
				bare(0, r)
			}
		}
	}
	return problems
}

// spans returns where a text has sources: its links to Go's own history, and the texts of ClaimsFile in it.
func spans(text string, sources map[string]string) [][]int {
	all := sourced.FindAllStringIndex(text, -1)
	for quoted := range sources {
		all = append(all, regexp.MustCompile(regexp.QuoteMeta(quoted)).FindAllStringIndex(text, -1)...)
	}
	return all
}

// seen reports whether a row of a table links to a page of the book that names a release. The claims of that page
// are checked there.
func (x *expander) seen(name, row, number string) bool {
	names := func(p Passage) bool { return slices.Contains(release.FindAllString(p.Text, -1), number) }
	for _, link := range toPage.FindAllStringSubmatch(row, -1) {
		target := path.Join(path.Dir(name), link[1])
		for i, p := range x.book.Pages {
			if p.Path == target && slices.ContainsFunc(x.book.parse()[i].Passages(), names) {
				return true
			}
		}
	}
	return false
}
