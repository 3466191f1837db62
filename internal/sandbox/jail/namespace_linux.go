//go:build amd64 || arm64

package jail

import (
	"errors"
	"fmt"
	"os"
	"strings"
	"syscall"

	"golang.org/x/sys/unix"
)

// namespaces are all kinds except the time namespace.
const namespaces = unix.CLONE_NEWUSER | unix.CLONE_NEWPID | unix.CLONE_NEWNS | unix.CLONE_NEWNET | unix.CLONE_NEWIPC |
	unix.CLONE_NEWUTS | unix.CLONE_NEWCGROUP

// attributes returns the attributes of the second process. It is process 1 of its PID namespace, so the kernel kills
// all other processes there when it ends.
func attributes(without map[Layer]bool) *syscall.SysProcAttr {
	attr := &syscall.SysProcAttr{
		// demote lowers the priority of this group. A session would get its own share of the processors (autogroup).
		Setpgid:   true,
		Pdeathsig: syscall.SIGKILL,
	}
	attr.Cloneflags = namespaces
	if without[Namespaces] {
		// The other layers need these two: a mount in the machine's own namespace would change the machine.
		attr.Cloneflags = unix.CLONE_NEWUSER | unix.CLONE_NEWNS
	}
	uid := os.Geteuid()
	if id, ok := unusedID(uid); ok {
		attr.UidMappings = []syscall.SysProcIDMap{{HostID: id, Size: 1}}
		attr.GidMappings = []syscall.SysProcIDMap{{HostID: id, Size: 1}}
		attr.GidMappingsEnableSetgroups = true
		attr.Credential = &syscall.Credential{} // that ID, without supplementary groups
		return attr
	}
	attr.UidMappings = []syscall.SysProcIDMap{{HostID: uid, Size: 1}}
	attr.GidMappings = []syscall.SysProcIDMap{{HostID: os.Getegid(), Size: 1}}
	return attr
}

// User IDs that nothing on a machine uses: above the IDs of people and services, and above the ranges of containers.
const (
	firstID = 0x70000000
	idCount = 1 << 16
)

// unusedID returns the ID of a user that owns nothing; starters give different IDs to programs that run at the same
// time. ok is false unless this process is root, since no other user may become that user. The kernel limits the number
// of processes for each user, but not for root.
func unusedID(uid int) (id int, ok bool) {
	if uid != 0 {
		return 0, false
	}
	// In a container root may have no other IDs.
	for _, name := range []string{"/proc/self/uid_map", "/proc/self/gid_map"} {
		text, err := os.ReadFile(name)
		if err != nil || !mapped(string(text), firstID+idCount) {
			return 0, false
		}
	}
	return firstID + os.Getpid()%idCount, true
}

// mapped reports whether a map of user IDs, in the form of /proc/self/uid_map, contains id.
func mapped(text string, id uint64) bool {
	for line := range strings.Lines(text) {
		var first, outside, count uint64
		if _, err := fmt.Sscan(line, &first, &outside, &count); err == nil && first <= id && id < first+count {
			return true
		}
	}
	return false
}

// checkNamespaces checks that the process is in new namespaces, and hides the host's name.
func checkNamespaces() error {
	if pid := os.Getpid(); pid != 1 {
		return fmt.Errorf("the process has the number %d in its namespace, and not 1", pid)
	}
	if os.Getuid() != 0 || os.Getgid() != 0 {
		return errors.New("the process is not root in its namespace")
	}
	for _, set := range []func([]byte) error{unix.Sethostname, unix.Setdomainname} {
		if err := set([]byte("jail")); err != nil {
			return os.NewSyscallError("sethostname", err)
		}
	}
	return nil
}
