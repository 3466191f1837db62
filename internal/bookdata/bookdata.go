// Package bookdata reads and writes the data behind the book's pages. tools/bookalloc measures
// and shows it; tools/checkalloc/author measures the misconceptions, and runner/load the classroom.
//
//   - listing.go has the Go programs that the book shows, whole or by anchored regions; manifest.go has their
//     manifests, and measuredpart.go the files that their benchmarks need
//   - measuredlisting.go has what was measured of a listing on one release of Go, in book/measured/CHAPTER
//   - history.go has what the listings measure on each release since Go 1.4, in book/measured/history.json;
//     historyproof.go checks it against the manifests
//   - misconception.go has the likely mistakes on the exercises, from solutions/exerciseN/wrong, and
//     misconceptionresult.go their verdicts, in book/measured/misconceptions.json
//   - output.go has what programs and commands print, the steps of the programs that the book draws, and the figures of
//     the collector
//   - classroom.go has what a simulated class measured against the runner, in book/measured/classroom.json
package bookdata

import (
	"errors"
	"os"
	"path/filepath"
)

// ConfigFile is mdBook's configuration file, which is in the root of the repository.
const ConfigFile = "book.toml"

// FindRepository returns the root of the repository around the current folder: the nearest folder with a ConfigFile.
func FindRepository() (root string, err error) {
	if root, err = os.Getwd(); err != nil {
		return "", err
	}
	for {
		if _, err := os.Stat(filepath.Join(root, ConfigFile)); err == nil {
			return root, nil
		}
		parent := filepath.Dir(root)
		if parent == root {
			return "", errors.New("no " + ConfigFile + " here or above: run this in the repository")
		}
		root = parent
	}
}
