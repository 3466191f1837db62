package bookdata

import (
	"archive/zip"
	"bytes"
	"crypto/sha256"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"os/exec"
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
	// A zip archive that is not compressed is the quickest way to read many files of a commit.
	archive, err := git(root, "archive", "--format=zip", "-0", commit, "--", book)
	if err != nil {
		return nil, err
	}
	files, err := zip.NewReader(bytes.NewReader(archive), int64(len(archive)))
	if err != nil {
		return nil, fmt.Errorf("read the book at %s: %w", commit, err)
	}
	was, err := fs.Sub(files, book)
	if err != nil {
		return nil, err
	}
	is := os.DirFS(filepath.Join(root, book))
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
		before, err1 := ReadPackage(was, name)
		after, err2 := ReadPackage(is, name)
		if err1 == nil && err2 == nil && maps.EqualFunc(before, after, bytes.Equal) &&
			slices.Equal(storedFigures(was, name), storedFigures(is, name)) &&
			reflect.DeepEqual(historyWas.Listings[name], historyIs.Listings[name]) {
			others = append(others, name)
		} else {
			selected[name] = true
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
