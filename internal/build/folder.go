package build

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// A folder is where an Isolated keeps its files: the build cache, which all processes with the same release of Go share, and
// what is this process's alone. Below the folder that the caller names:
//
//	lock               held while an Isolated opens
//	cache/go1.26.8/    the build cache, written by trusted code alone
//	builds/123456/     a process's own: its builds, and files that they share
//
// Each folder in cache and builds has a lock beside it, its name and ".lock", held by those who use it. Of a process that was
// killed the lock is free: whoever opens next removes the folder, and also caches of releases that nobody uses any more.
type folder struct {
	cache, own string
	locks      []*os.File
}

const lockSuffix = ".lock"

func openFolder(dir, release string) (f *folder, err error) {
	if dir, err = filepath.Abs(dir); err != nil {
		return nil, err
	}
	// The go command calls folders by their real names.
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, err
	}
	if dir, err = filepath.EvalSymlinks(dir); err != nil {
		return nil, err
	}
	caches, builds := filepath.Join(dir, "cache"), filepath.Join(dir, "builds")
	for _, name := range []string{caches, builds} {
		if err := os.MkdirAll(name, 0o700); err != nil {
			return nil, err
		}
	}
	opening, err := lockFile(filepath.Join(dir, "lock"), true, true)
	if err != nil {
		return nil, err
	}
	defer opening.Close()
	f = &folder{cache: filepath.Join(caches, release)}
	defer func() {
		if err != nil {
			f.close()
		}
	}()
	if err := f.hold(f.cache, false); err != nil {
		return nil, err
	}
	if err := errors.Join(sweep(caches), sweep(builds)); err != nil {
		return nil, fmt.Errorf("remove what an earlier process left: %w", err)
	}
	if f.own, err = os.MkdirTemp(builds, ""); err != nil {
		return nil, err
	}
	return f, f.hold(f.own, true)
}

// hold makes a folder, unless it is there, and takes its lock.
func (f *folder) hold(dir string, exclusive bool) error {
	lock, err := lockFile(dir+lockSuffix, exclusive, true)
	if err != nil {
		return err
	}
	f.locks = append(f.locks, lock)
	return os.MkdirAll(dir, 0o700)
}

// sweep removes the folders in dir that nobody holds.
func sweep(dir string) error {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return err
	}
	for _, entry := range entries {
		name := strings.TrimSuffix(filepath.Join(dir, entry.Name()), lockSuffix)
		lock, err := lockFile(name+lockSuffix, true, false)
		if err != nil {
			return err
		}
		if lock == nil {
			continue
		}
		// A compiler of a killed process may go on for some seconds, and write. Who opens next tries again.
		err = os.RemoveAll(name)
		lock.Close()
		if err == nil {
			os.Remove(name + lockSuffix)
		}
	}
	return nil
}

// close removes what is this process's alone, and lets go of the cache.
func (f *folder) close() error {
	var errs []error
	if f.own != "" {
		errs = append(errs, os.RemoveAll(f.own))
	}
	for _, lock := range f.locks {
		errs = append(errs, lock.Close())
	}
	if f.own != "" {
		// Who opens in this moment may have removed it.
		if err := os.Remove(f.own + lockSuffix); !errors.Is(err, fs.ErrNotExist) {
			errs = append(errs, err)
		}
	}
	return errors.Join(errs...)
}
