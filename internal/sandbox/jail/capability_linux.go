//go:build amd64 || arm64

package jail

import (
	"errors"
	"os"

	"golang.org/x/sys/unix"
)

// Bits of a thread's securebits, see capabilities(7); x/sys has no names for them.
const (
	securebits = 1<<0 | 1<<1 | // SECBIT_NOROOT and its lock: user 0 has no capabilities
		1<<2 | 1<<3 | // SECBIT_NO_SETUID_FIXUP and its lock
		1<<5 | // the lock of SECBIT_KEEP_CAPS, which stays off
		1<<6 | 1<<7 // SECBIT_NO_CAP_AMBIENT_RAISE and its lock
)

// dropCapabilities takes all capabilities from the thread, including the ones in its own namespaces, and the ways to
// gain others: the bounding set, the ambient set, the privileges of user 0, and set-user-ID programs (no_new_privs).
func dropCapabilities() error {
	for c := 0; ; c++ {
		err := unix.Prctl(unix.PR_CAPBSET_DROP, uintptr(c), 0, 0, 0)
		if err == unix.EINVAL && c > unix.CAP_SETPCAP {
			break // that was the last capability
		}
		if err != nil {
			return os.NewSyscallError("prctl", err)
		}
	}
	for _, p := range [][2]int{
		{unix.PR_SET_SECUREBITS, securebits},
		{unix.PR_CAP_AMBIENT, unix.PR_CAP_AMBIENT_CLEAR_ALL},
	} {
		if err := unix.Prctl(p[0], uintptr(p[1]), 0, 0, 0); err != nil {
			return os.NewSyscallError("prctl", err)
		}
	}
	header := unix.CapUserHeader{Version: unix.LINUX_CAPABILITY_VERSION_3}
	var none, left [2]unix.CapUserData
	if err := unix.Capset(&header, &none[0]); err != nil {
		return os.NewSyscallError("capset", err)
	}
	if err := noNewPrivileges(); err != nil {
		return err
	}
	if err := unix.Capget(&header, &left[0]); err != nil {
		return os.NewSyscallError("capget", err)
	}
	if left != none {
		return errors.New("some are left")
	}
	return nil
}

// noNewPrivileges keeps the thread from gaining privileges by execve(2). Landlock and seccomp require that too.
func noNewPrivileges() error {
	return os.NewSyscallError("prctl", unix.Prctl(unix.PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0))
}
