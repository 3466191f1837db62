package bookdata

import (
	"errors"
	"fmt"
	"go/version"
	"io/fs"
	"path"
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/BurntSushi/toml"
)

// ManifestFile is the name of a listing's manifest, in the folder of the listing.
const ManifestFile = "listing.toml"

// A Manifest is the content of a listing.toml.
type Manifest struct {
	Title string `toml:"title"` // name of the listing in a grid
	// Since is the oldest release that can build the listing, "go1.24"; "" means any. SinceWhy gives the reason.
	Since    string `toml:"since"`
	SinceWhy string `toml:"since_why"`
	// Articles are the figures of an article that the listing reproduces.
	Articles []Article `toml:"article"`
	// Changes are the releases on which the listing's figures differ from its figures on the previous release.
	Changes []Change `toml:"change"`
}

// An Article is a figure that an article measured, on the release of its time.
type Article struct {
	Release   string   `toml:"release"`   // "go1.8"
	Benchmark string   `toml:"benchmark"` // "" if the listing has only one
	Allocs    float64  `toml:"allocs"`    // allocs/op
	Bytes     *float64 `toml:"bytes"`     // B/op; nil if the article does not give them
	Line      int      `toml:"-"`         // line of the manifest, from 1; 0 if unknown
}

// About reports whether the figure is of a benchmark, which may be the listing's only one.
func (a Article) About(benchmark string, alone bool) bool {
	return a.Benchmark == benchmark || a.Benchmark == "" && alone
}

// A Change explains what a release changed.
type Change struct {
	Release string `toml:"release"`
	Why     string `toml:"why"`
	Link    string `toml:"link"` // to the release notes or the change
	Line    int    `toml:"-"`    // line of the manifest, from 1; 0 if unknown
}

// On reports whether a minor release, "go1.8", can build the listing.
func (m *Manifest) On(release string) bool {
	return m.Since == "" || version.Compare(release, m.Since) >= 0
}

// Label returns the label of a benchmark in a table: the title, followed by the benchmark's name unless it is the
// listing's only one.
func (m *Manifest) Label(benchmark string, alone bool) string {
	if alone {
		return m.Title
	}
	return m.Title + ", " + BenchmarkWords(benchmark)
}

// titleLength is the number of characters of a title that fit in a grid.
const titleLength = 36

// ReadManifest reads a listing's manifest. Errors name the file.
func ReadManifest(book fs.FS, listing string) (*Manifest, error) {
	name := path.Join(listing, ManifestFile)
	text, err := fs.ReadFile(book, name)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("%s is missing: a listing with a benchmark needs one, with its title", name)
	}
	if err != nil {
		return nil, err
	}
	m, err := parseManifest(string(text))
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return m, nil
}

// DecodeTOML decodes a text. It is an error if v has no place for a key.
func DecodeTOML(text string, v any) error {
	meta, err := toml.Decode(text, v)
	if unknown := meta.Undecoded(); err == nil && len(unknown) > 0 {
		err = fmt.Errorf("unknown key %q: remove it or correct its spelling", unknown[0].String())
	}
	return err
}

func parseManifest(text string) (*Manifest, error) {
	m := new(Manifest)
	if err := DecodeTOML(text, m); err != nil {
		return nil, err
	}
	if n := utf8.RuneCountInString(m.Title); n == 0 || n > titleLength {
		return nil, fmt.Errorf("title has %d characters: write 1 to %d", n, titleLength)
	}
	if strings.TrimSpace(m.Title) != m.Title || strings.ContainsFunc(m.Title, unicode.IsControl) {
		return nil, fmt.Errorf("title %q: write it on one line, without spaces around it", m.Title)
	}
	if (m.Since == "") != (m.SinceWhy == "") {
		return nil, errors.New("since needs since_why, and since_why needs since")
	}
	if m.Since != "" && !isRelease(m.Since) {
		return nil, fmt.Errorf("since %q: write a release as \"go1.24\"", m.Since)
	}
	for _, a := range m.Articles {
		if !isRelease(a.Release) {
			return nil, fmt.Errorf("[[article]] release %q: write it as \"go1.8\"", a.Release)
		}
	}
	m.setLines(text)
	for i, c := range m.Changes {
		switch {
		case !isRelease(c.Release):
			return nil, fmt.Errorf("[[change]] release %q: write it as \"go1.12\"", c.Release)
		case i > 0 && version.Compare(m.Changes[i-1].Release, c.Release) >= 0:
			return nil, fmt.Errorf("[[change]] %s follows %s: list each release once, oldest first", c.Release,
				m.Changes[i-1].Release)
		case strings.TrimSpace(c.Why) == "":
			return nil, fmt.Errorf("[[change]] %s: say why", c.Release)
		case !strings.HasPrefix(c.Link, "https://"):
			return nil, fmt.Errorf("[[change]] %s: link %q is not an https URL", c.Release, c.Link)
		}
	}
	return m, nil
}

// entry matches the line that begins an entry of a list.
var entry = regexp.MustCompile(`^\s*\[\[\s*(article|change)\s*\]\]`)

// setLines sets the line of each entry. TOML can write entries in other ways too; their lines stay unknown.
func (m *Manifest) setLines(text string) {
	lines := map[string][]int{}
	n := 0
	for line := range strings.Lines(text) {
		n++
		if found := entry.FindStringSubmatch(line); found != nil {
			lines[found[1]] = append(lines[found[1]], n)
		}
	}
	if len(lines["article"]) == len(m.Articles) {
		for i, line := range lines["article"] {
			m.Articles[i].Line = line
		}
	}
	if len(lines["change"]) == len(m.Changes) {
		for i, line := range lines["change"] {
			m.Changes[i].Line = line
		}
	}
}

// isRelease reports whether s names a minor release, "go1.8".
func isRelease(s string) bool { return version.IsValid(s) && version.Lang(s) == s }

// FindListings returns the folders of all listings with a benchmark, sorted. The error joins the errors of all listings
// that cannot be read.
func FindListings(book fs.FS) ([]string, error) {
	var found []string
	var problems []error
	err := fs.WalkDir(book, ".", func(name string, entry fs.DirEntry, err error) error {
		if err != nil || !entry.IsDir() || path.Base(path.Dir(name)) != "listings" {
			return err
		}
		part, err := ReadMeasuredPart(book, name)
		problems = append(problems, err)
		if len(part.Benchmarks) > 0 {
			found = append(found, name)
		}
		return fs.SkipDir
	})
	slices.Sort(found)
	return found, errors.Join(append(problems, err)...)
}
