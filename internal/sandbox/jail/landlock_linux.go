//go:build amd64 || arm64

package jail

import (
	"errors"
	"os"
	"unsafe"

	"golang.org/x/sys/unix"
)

// A ruleset is the kernel's struct landlock_ruleset_attr: the rights that are refused unless a rule allows them. There
// are no rules.
type ruleset struct{ fs, net, scoped uint64 }

// everyRight returns all rights that a version of Landlock's ABI can refuse, up to version 6.
func everyRight(version int) ruleset {
	all := func(last uint64) uint64 { return last<<1 - 1 }
	r := ruleset{fs: all(unix.LANDLOCK_ACCESS_FS_MAKE_SYM)}
	if version >= 2 {
		r.fs = all(unix.LANDLOCK_ACCESS_FS_REFER)
	}
	if version >= 3 {
		r.fs = all(unix.LANDLOCK_ACCESS_FS_TRUNCATE)
	}
	if version >= 4 {
		r.net = all(unix.LANDLOCK_ACCESS_NET_CONNECT_TCP)
	}
	if version >= 5 {
		r.fs = all(unix.LANDLOCK_ACCESS_FS_IOCTL_DEV)
	}
	if version >= 6 {
		r.scoped = all(unix.LANDLOCK_SCOPE_SIGNAL)
	}
	return r
}

// restrictByLandlock refuses the thread all that Landlock can refuse. Landlock does not apply to files in memory, so
// the program can still be executed.
func restrictByLandlock() error {
	version, _, errno := unix.RawSyscall(unix.SYS_LANDLOCK_CREATE_RULESET, 0, 0, unix.LANDLOCK_CREATE_RULESET_VERSION)
	if errno != 0 {
		return os.NewSyscallError("landlock_create_ruleset", errno)
	}
	if err := noNewPrivileges(); err != nil {
		return err
	}
	r := everyRight(int(version))
	fd, _, errno := unix.RawSyscall(unix.SYS_LANDLOCK_CREATE_RULESET, uintptr(unsafe.Pointer(&r)), unsafe.Sizeof(r), 0)
	if errno != 0 {
		return os.NewSyscallError("landlock_create_ruleset", errno)
	}
	if _, _, errno := unix.RawSyscall(unix.SYS_LANDLOCK_RESTRICT_SELF, fd, 0, 0); errno != 0 {
		return os.NewSyscallError("landlock_restrict_self", errno)
	}
	if err := unix.Close(int(fd)); err != nil {
		return os.NewSyscallError("close", err)
	}
	if dir, err := unix.Open("/", unix.O_RDONLY|unix.O_DIRECTORY|unix.O_CLOEXEC, 0); err != unix.EACCES {
		if err == nil {
			unix.Close(dir)
		}
		return errors.New("the root can still be read")
	}
	return nil
}
