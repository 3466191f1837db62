//go:build !(darwin || dragonfly || freebsd || illumos || linux || netbsd || openbsd || windows)

package build

import "os"

// lockFile does not lock, because this system has no lock that is released when its process ends. If wait is false the
// file is nil, as if another process held the lock, so that no process removes another's files.
func lockFile(name string, exclusive, wait bool) (*os.File, error) {
	if !wait {
		return nil, nil
	}
	return os.OpenFile(name, os.O_RDWR|os.O_CREATE, 0o600)
}
