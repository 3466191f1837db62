//go:build unix

package api

import (
	"os"
	"syscall"
)

// lockData waits until no other run of these tests uses the folder, because they check that nothing is left there.
func lockData() (unlock func()) {
	if err := os.MkdirAll(dataDir, 0o700); err != nil {
		panic(err)
	}
	file, err := os.OpenFile(dataDir+".lock", os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		panic(err)
	}
	if err := syscall.Flock(int(file.Fd()), syscall.LOCK_EX); err != nil {
		panic(err)
	}
	return func() { file.Close() }
}
