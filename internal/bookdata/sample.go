package bookdata

import (
	"bytes"
	"crypto/sha256"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
)

// Sample selects listings to measure again: every listing whose files or stored figures differ from a commit, and n
// other listings, which change from commit to commit. The book is the folder of that name in the repository at root.
func Sample(root, book, commit string, n int, listings []string) (map[string]bool, error) {
	head, err := git(root, "rev-parse", "HEAD")
	if err != nil {
		return nil, err
	}
	changed, err := git(root, "diff", "--name-only", commit, "--", book)
	if err != nil {
		return nil, err
	}
	added, err := git(root, "ls-files", "--others", "--exclude-standard", "--", book)
	if err != nil {
		return nil, err
	}
	files := map[string]bool{} // relative to the book, with their folders
	for line := range strings.Lines(string(changed) + string(added)) {
		for name := strings.TrimPrefix(strings.TrimSpace(line), book+"/"); name != "."; name = path.Dir(name) {
			files[name] = true
		}
	}
	was, is := commitFS{root, commit, book}, os.DirFS(filepath.Join(root, book))
	historyWas, err := ReadHistory(was)
	if err != nil {
		return nil, err
	}
	historyIs, err := ReadHistory(is)
	if err != nil {
		return nil, err
	}
	selected := map[string]bool{}
	var others []string
	for _, name := range listings {
		switch {
		case files[name],
			files[MeasuredFile(name)] && !slices.Equal(storedFigures(was, name), storedFigures(is, name)),
			files[HistoryFile] && !reflect.DeepEqual(historyWas.Listings[name], historyIs.Listings[name]):
			selected[name] = true
		default:
			others = append(others, name)
		}
	}
	order := func(name string) []byte {
		sum := sha256.Sum256([]byte(string(head) + name))
		return sum[:]
	}
	slices.SortFunc(others, func(a, b string) int { return bytes.Compare(order(a), order(b)) })
	for _, name := range others[:min(n, len(others))] {
		selected[name] = true
	}
	return selected, nil
}

// storedFigures returns the figures that a book stores for a listing, and nil if it stores none.
func storedFigures(book fs.FS, listing string) (figures []Benchmark) {
	l, err := ReadMeasuredListing(book, listing)
	if err != nil {
		return nil // whether it should have a file is a question of the check
	}
	for _, b := range l.Verdict.Benchmarks {
		figures = append(figures, Benchmark{b.Name, b.AllocsPerOp, b.BytesPerOp})
	}
	return figures
}

func git(root string, args ...string) ([]byte, error) {
	cmd := exec.Command("git", append([]string{"-C", root}, args...)...)
	var messages bytes.Buffer
	cmd.Stderr = &messages
	out, err := cmd.Output()
	if err != nil {
		return nil, fmt.Errorf("%s: %w\n%s", strings.Join(cmd.Args, " "), err, &messages)
	}
	return out, nil
}

// A commitFS has the files below a folder as they were at a commit. It can only read files whole.
type commitFS struct{ root, commit, dir string }

func (c commitFS) Open(name string) (fs.File, error) {
	return nil, &fs.PathError{Op: "open", Path: name, Err: errors.ErrUnsupported}
}

// ReadFile returns fs.ErrNotExist for a file that the commit does not have.
func (c commitFS) ReadFile(name string) ([]byte, error) {
	file := path.Join(c.dir, name)
	if listed, err := git(c.root, "ls-tree", "--name-only", c.commit, "--", file); err != nil {
		return nil, err
	} else if len(listed) == 0 {
		return nil, &fs.PathError{Op: "open", Path: name, Err: fs.ErrNotExist}
	}
	return git(c.root, "show", c.commit+":"+file)
}
