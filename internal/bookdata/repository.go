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
