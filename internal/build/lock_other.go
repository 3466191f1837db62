//go:build !(darwin || dragonfly || freebsd || illumos || linux || netbsd || openbsd || windows)

package build

import "os"

// lockFile takes no lock: this system has none that ends with its process. If wait is false the file is nil, as if
// another process had the lock, so that no process removes the files of another.
func lockFile(name string, exclusive, wait bool) (*os.File, error) {
	if !wait {
		return nil, nil
	}
	return os.OpenFile(name, os.O_RDWR|os.O_CREATE, 0o600)
}
