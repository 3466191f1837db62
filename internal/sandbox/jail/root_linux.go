//go:build amd64 || arm64

package jail

import (
	"errors"
	"fmt"
	"os"

	"golang.org/x/sys/unix"
)

// mountPoint is where the new root is mounted before it becomes the root: a folder that every system has. Only the
// process's own namespace has the mount.
const mountPoint = "/tmp"

// enterEmptyRoot replaces the file system by an empty folder that cannot be written to, without /proc, /sys and /dev.
func enterEmptyRoot() error {
	const flags = unix.MS_NOSUID | unix.MS_NODEV | unix.MS_NOEXEC
	for _, step := range []struct {
		name string
		do   func() error
	}{
		{"keep mounts private", func() error { return unix.Mount("", "/", "", unix.MS_REC|unix.MS_PRIVATE, "") }},
		{"mount an empty root", func() error {
			return unix.Mount("root", mountPoint, "tmpfs", flags, "size=4k,nr_inodes=2,mode=0555")
		}},
		{"enter the root", func() error { return unix.Chdir(mountPoint) }},
		{"pivot_root", func() error { return unix.PivotRoot(".", ".") }},
		// The old root is mounted over the new one now.
		{"unmount the old root", func() error { return unix.Unmount(".", unix.MNT_DETACH) }},
		{"enter the root", func() error { return unix.Chdir("/") }},
		{"make the root read-only", func() error {
			return unix.Mount("", "/", "", unix.MS_REMOUNT|unix.MS_BIND|unix.MS_RDONLY|flags, "")
		}},
	} {
		if err := step.do(); err != nil {
			return fmt.Errorf("%s: %w", step.name, err)
		}
	}
	entries, err := os.ReadDir("/")
	if err != nil {
		return err
	}
	if len(entries) > 0 {
		return errors.New("the root is not empty")
	}
	return nil
}
