package build

import (
	"errors"
	"os"
	"syscall"
	"time"
)

// lockFile locks the named file, for this process alone (exclusive) or together with others, until the file is closed
// or the process ends. If wait is false and another process has the lock, the file is nil. The lock is the share mode
// with which Windows opens the file.
func lockFile(name string, exclusive, wait bool) (*os.File, error) {
	path, err := syscall.UTF16PtrFromString(name)
	if err != nil {
		return nil, err
	}
	const sharingViolation = syscall.Errno(32)
	var share uint32
	if !exclusive {
		share = syscall.FILE_SHARE_READ | syscall.FILE_SHARE_WRITE
	}
	for {
		h, err := syscall.CreateFile(
			path,
			syscall.GENERIC_READ|syscall.GENERIC_WRITE,
			share,
			nil,
			syscall.OPEN_ALWAYS,
			syscall.FILE_ATTRIBUTE_NORMAL,
			0,
		)
		switch {
		case err == nil:
			return os.NewFile(uintptr(h), name), nil
		case !errors.Is(err, sharingViolation):
			return nil, &os.PathError{Op: "lock", Path: name, Err: err}
		case !wait:
			return nil, nil
		}
		time.Sleep(10 * time.Millisecond)
	}
}
