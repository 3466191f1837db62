//go:build !(darwin || dragonfly || freebsd || illumos || linux || netbsd || openbsd || windows)

package build

import "os"

// lockFile takes no lock: this system has none that ends with its process. Where wait is false the file is nil, as if another
// process had it, so that nobody's files are removed.
func lockFile(name string, exclusive, wait bool) (*os.File, error) {
	if !wait {
		return nil, nil
	}
	return os.OpenFile(name, os.O_RDWR|os.O_CREATE, 0o600)
}
