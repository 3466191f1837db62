//go:build amd64 || arm64

package jail

import (
	"errors"
	"fmt"
	"os"
	"time"

	"golang.org/x/sys/unix"
)

// Go's runtime reserves about 1 GiB of address space that it does not use, and needs some memory for itself.
const (
	addressSpace  = 4 << 30  // bytes
	runtimeMemory = 64 << 20 // bytes
)

// setLimits sets the limits of the process, which it cannot raise again. RLIMIT_DATA bounds private writable memory,
// used or not; a jailed program cannot get any other memory. A lower limit of this process stays.
func setLimits(b Bounds) error {
	for _, l := range []struct {
		name  string
		what  int
		value uint64
	}{
		{"address space", unix.RLIMIT_AS, addressSpace},
		{"memory", unix.RLIMIT_DATA, uint64(b.Memory) + runtimeMemory},
		{"stack", unix.RLIMIT_STACK, 8 << 20},
		{"locked memory", unix.RLIMIT_MEMLOCK, 0},
		{"processor time", unix.RLIMIT_CPU, uint64((b.CPU + time.Second - 1) / time.Second)},
		{"threads", unix.RLIMIT_NPROC, maxThreads},
		{"open files", unix.RLIMIT_NOFILE, 16},
		{"size of files", unix.RLIMIT_FSIZE, 0},
		{"message queues", unix.RLIMIT_MSGQUEUE, 0},
		{"pending signals", unix.RLIMIT_SIGPENDING, 1 << 10},
		{"priority", unix.RLIMIT_NICE, 0},
		{"real-time priority", unix.RLIMIT_RTPRIO, 0},
		// With 0 the kernel still starts a handler of core dumps that is a program. With 1 it does not; see core(5).
		{"core dumps", unix.RLIMIT_CORE, 1},
	} {
		var current unix.Rlimit
		if err := unix.Getrlimit(l.what, &current); err != nil {
			return fmt.Errorf("%s: getrlimit: %w", l.name, err)
		}
		value := min(l.value, current.Max)
		if err := unix.Setrlimit(l.what, &unix.Rlimit{Cur: value, Max: value}); err != nil {
			return fmt.Errorf("%s: setrlimit: %w", l.name, err)
		}
	}
	return checkThreads()
}

// checkThreads checks that the limit on threads holds. It does not hold for the machine's root, who may be the user of
// a container too.
func checkThreads() error {
	var limit unix.Rlimit
	if err := unix.Getrlimit(unix.RLIMIT_NPROC, &limit); err != nil {
		return os.NewSyscallError("getrlimit", err)
	}
	if err := unix.Setrlimit(unix.RLIMIT_NPROC, &unix.Rlimit{Cur: 0, Max: limit.Max}); err != nil {
		return os.NewSyscallError("setrlimit", err)
	}
	pid, _, errno := unix.RawSyscall6(unix.SYS_CLONE, uintptr(unix.SIGCHLD), 0, 0, 0, 0, 0)
	if pid == 0 && errno == 0 {
		unix.RawSyscall(unix.SYS_EXIT_GROUP, 0, 0, 0) // in the new process
	}
	switch errno {
	case 0:
		return errors.New("threads: the kernel does not hold this user to a limit")
	case unix.EAGAIN:
		return os.NewSyscallError("setrlimit", unix.Setrlimit(unix.RLIMIT_NPROC, &limit))
	}
	return os.NewSyscallError("clone", errno)
}
