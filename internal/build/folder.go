package build

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/gofrs/flock"
)

// A folder holds the files of an Isolated: the build cache, which all processes with the same Go release share, and
// this process's own files. Below the folder that the caller names:
//
//	lock               held while an Isolated opens
//	cache/go1.26.8/    the build cache, written by trusted code alone
//	builds/123456/     a process's own files: its builds, and files that they share
//
// Each folder in cache and builds has a lock file beside it, its name and ".lock", which the processes that use the
// folder hold. The operating system releases the lock of a process that was killed. The next process that opens the
// folder removes all folders whose lock is free, including caches of releases that no process uses any more.
type folder struct {
	cache, temp string
	locks       []*flock.Flock
}

const lockSuffix = ".lock"

func openFolder(dir, release string) (f *folder, err error) {
	if dir, err = filepath.Abs(dir); err != nil {
		return nil, err
	}
	// The go command resolves symbolic links too.
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
	opening := newLock(filepath.Join(dir, "lock"))
	if err := opening.Lock(); err != nil {
		return nil, fmt.Errorf("lock %s: %w", opening, err)
	}
	defer opening.Close()
	f = &folder{cache: filepath.Join(caches, release)}
	defer func() {
		if err != nil {
			f.close()
		}
	}()
	if err := f.hold(f.cache, (*flock.Flock).RLock); err != nil {
		return nil, err
	}
	if err := errors.Join(sweep(caches), sweep(builds)); err != nil {
		return nil, fmt.Errorf("remove what an earlier process left: %w", err)
	}
	if f.temp, err = os.MkdirTemp(builds, ""); err != nil {
		return nil, err
	}
	return f, f.hold(f.temp, (*flock.Flock).Lock)
}

// newLock returns the lock in the named file. Closing it, and the end of the process, releases it.
func newLock(name string) *flock.Flock { return flock.New(name, flock.SetPermissions(0o600)) }

// hold creates a folder, unless it exists, and locks it, for this process alone (Lock) or together with others (RLock).
func (f *folder) hold(dir string, take func(*flock.Flock) error) error {
	lock := newLock(dir + lockSuffix)
	if err := take(lock); err != nil {
		return fmt.Errorf("lock %s: %w", lock, err)
	}
	f.locks = append(f.locks, lock)
	return os.MkdirAll(dir, 0o700)
}

// sweep removes the folders in dir whose lock is free.
func sweep(dir string) error {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return err
	}
	for _, entry := range entries {
		name := strings.TrimSuffix(filepath.Join(dir, entry.Name()), lockSuffix)
		lock := newLock(name + lockSuffix)
		switch free, err := lock.TryLock(); {
		case err != nil:
			return fmt.Errorf("lock %s: %w", lock, err)
		case !free:
			continue
		}
		// The compiler of a killed process may still run and write for some seconds. The next process that opens the
		// folder tries again.
		err := os.RemoveAll(name)
		lock.Close()
		if err == nil {
			os.Remove(name + lockSuffix)
		}
	}
	return nil
}

// close removes this process's own files and unlocks the cache. The next process that opens the folder removes the lock
// file.
func (f *folder) close() (err error) {
	if f.temp != "" {
		err = os.RemoveAll(f.temp)
	}
	for _, lock := range f.locks {
		err = errors.Join(err, lock.Close())
	}
	return err
}
