package bookdata

import (
	"crypto/sha256"
	"fmt"
	"io/fs"
	"maps"
	"path"
	"regexp"
	"slices"
	"strings"
)

// A ListingFile is a source file of a listing with its regions. A region lies between two comment lines,
// "// ANCHOR: name" and "// ANCHOR_END: name". Regions may nest and overlap. These comments are removed from all text
// that this package returns.
type ListingFile struct {
	Name    string
	lines   []string
	anchors []bool // by line: whether it is an anchor comment
	regions map[string]ListingLines
}

// ListingLines is a range of lines of a file, counted from 1, both ends included.
type ListingLines struct{ First, Last int }

// Contains reports whether line n is in the range.
func (l ListingLines) Contains(n int) bool { return l.First <= n && n <= l.Last }

func (l ListingLines) String() string {
	if l.First == l.Last {
		return fmt.Sprintf("line %d", l.First)
	}
	return fmt.Sprintf("lines %d–%d", l.First, l.Last)
}

var anchorComment = regexp.MustCompile(`^\s*//\s*ANCHOR(_END)?:\s*(\S+)\s*$`)

// IsAnchor reports whether a source line is an anchor comment.
func IsAnchor(line string) bool { return anchorComment.MatchString(line) }

// ReadListingFile reads a file from the book's folder. Errors name file and line.
func ReadListingFile(book fs.FS, name string) (*ListingFile, error) {
	text, err := fs.ReadFile(book, name)
	if err != nil {
		return nil, err
	}
	return parseListingFile(name, string(text))
}

// parseListingFile parses the text of a file, and finds its regions.
func parseListingFile(name, text string) (*ListingFile, error) {
	text = strings.ReplaceAll(text, "\r\n", "\n")
	f := &ListingFile{
		Name:    name,
		lines:   strings.Split(strings.TrimSuffix(text, "\n"), "\n"),
		regions: map[string]ListingLines{},
	}
	f.anchors = make([]bool, len(f.lines))
	open := map[string]int{}
	for i, line := range f.lines {
		m := anchorComment.FindStringSubmatch(line)
		if m == nil {
			continue
		}
		f.anchors[i] = true
		n, anchor := i+1, m[2]
		_, closed := f.regions[anchor]
		begun, isOpen := open[anchor]
		switch {
		case m[1] == "" && (isOpen || closed):
			return nil, fmt.Errorf("%s:%d: anchor %q begins twice: rename one", name, n, anchor)
		case m[1] == "":
			open[anchor] = n
		case !isOpen:
			return nil, fmt.Errorf("%s:%d: anchor %q ends but does not begin", name, n, anchor)
		default:
			f.regions[anchor] = ListingLines{begun + 1, n - 1}
			delete(open, anchor)
		}
	}
	for _, anchor := range slices.Sorted(maps.Keys(open)) {
		return nil, fmt.Errorf("%s:%d: anchor %q has no end: add \"// ANCHOR_END: %s\"", name, open[anchor], anchor,
			anchor)
	}
	return f, nil
}

// Region returns the lines of an anchor or, for "", of the whole file. It leaves out anchor comments, and blank lines
// at either end.
func (f *ListingFile) Region(anchor string) (ListingLines, error) {
	r, ok := f.regions[anchor]
	switch {
	case anchor == "":
		r = ListingLines{1, len(f.lines)}
	case !ok:
		names := slices.Sorted(maps.Keys(f.regions))
		if len(names) == 0 {
			return r, fmt.Errorf("%s has no anchors: add \"// ANCHOR: %s\"", f.Name, anchor)
		}
		return r, fmt.Errorf("%s has no anchor %q: it has %s", f.Name, anchor, strings.Join(names, ", "))
	}
	empty := func(n int) bool { return f.anchors[n-1] || strings.TrimSpace(f.lines[n-1]) == "" }
	for r.First <= r.Last && empty(r.First) {
		r.First++
	}
	for r.First <= r.Last && empty(r.Last) {
		r.Last--
	}
	if r.First > r.Last {
		return r, fmt.Errorf("%s: anchor %q is empty", f.Name, anchor)
	}
	return r, nil
}

// Text returns the text of lines r without anchor comments, ending in a newline. Blank lines that meet where a comment
// was removed become one.
func (f *ListingFile) Text(r ListingLines) string {
	var b strings.Builder
	blank := true
	for n := r.First; n <= r.Last; n++ {
		line := f.lines[n-1]
		isBlank := strings.TrimSpace(line) == ""
		if f.anchors[n-1] || isBlank && blank {
			continue
		}
		b.WriteString(line + "\n")
		blank = isBlank
	}
	return b.String()
}

// Whole returns the text of the whole file, as Text does.
func (f *ListingFile) Whole() (string, error) {
	all, err := f.Region("")
	return f.Text(all), err
}

// InWhole returns where lines r, which begin with a line that Text keeps, are in the text that Whole returns.
func (f *ListingFile) InWhole(r ListingLines) ListingLines {
	before := strings.Count(f.Text(ListingLines{1, r.First - 1}), "\n")
	return ListingLines{before + 1, before + strings.Count(f.Text(r), "\n")}
}

// Numbered returns the whole text with each anchor comment replaced by a blank line, so that line numbers stay the
// same.
func (f *ListingFile) Numbered() string {
	lines := slices.Clone(f.lines)
	for i := range lines {
		if f.anchors[i] {
			lines[i] = ""
		}
	}
	return strings.Join(lines, "\n") + "\n"
}

// profile is the file from which the go command takes a profile for the compiler, if the package is a command.
const profile = "default.pgo"

// ReadPackage returns the Go files of a folder of the book by base name, and its default.pgo if there is one.
func ReadPackage(book fs.FS, dir string) (map[string][]byte, error) {
	entries, err := fs.ReadDir(book, dir)
	if err != nil {
		return nil, err
	}
	files := map[string][]byte{}
	for _, e := range entries {
		if e.IsDir() || path.Ext(e.Name()) != ".go" && e.Name() != profile {
			continue
		}
		if files[e.Name()], err = fs.ReadFile(book, path.Join(dir, e.Name())); err != nil {
			return nil, err
		}
	}
	if len(files) == 0 {
		return nil, fmt.Errorf("%s: no Go files", dir)
	}
	return files, nil
}

// HashFiles returns a hash of the files' names and contents.
func HashFiles(files map[string][]byte) string {
	h := sha256.New()
	for _, name := range slices.Sorted(maps.Keys(files)) {
		fmt.Fprintf(h, "%s %d\n%s", name, len(files[name]), files[name])
	}
	return fmt.Sprintf("%x", h.Sum(nil)[:8])
}
