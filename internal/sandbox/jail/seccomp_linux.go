//go:build amd64 || arm64

package jail

import (
	"fmt"
	"os"
	"runtime"
	"slices"
	"unsafe"

	"golang.org/x/net/bpf"
	"golang.org/x/sys/unix"
)

// A rule decides about a system call.
type rule struct {
	call       uint32
	conditions []condition // on the arguments; the call is allowed if they hold
	otherwise  uint32      // the kernel's action if they do not
}

// A condition holds if an argument of 64 bits is one of values after the bits of without are cleared.
type condition struct {
	argument int
	without  uint32
	values   []uint32
}

// The kernel's actions.
const (
	allow       = unix.SECCOMP_RET_ALLOW
	kill        = unix.SECCOMP_RET_KILL_PROCESS
	refuse      = unix.SECCOMP_RET_ERRNO | uint32(unix.EPERM)
	unsupported = unix.SECCOMP_RET_ERRNO | uint32(unix.ENOSYS)
)

// equals returns the condition that an argument is one of values.
func equals(argument int, values ...uint32) condition {
	return condition{argument: argument, values: values}
}

// never is a condition that no argument fulfills.
var never = condition{}

// Flags and operations that Go's runtime uses.
const (
	threadFlags = unix.CLONE_VM | unix.CLONE_FS | unix.CLONE_FILES | unix.CLONE_SIGHAND | unix.CLONE_SYSVSEM |
		unix.CLONE_THREAD
	anonymous = unix.MAP_PRIVATE | unix.MAP_ANONYMOUS
	private   = 128 // FUTEX_PRIVATE_FLAG
	futexWait = 0 | private
	futexWake = 1 | private
)

// protections are the protections of memory that cannot be executed. A program has no code except its own binary.
var protections = []uint32{unix.PROT_NONE, unix.PROT_READ, unix.PROT_READ | unix.PROT_WRITE}

// rules are the system calls that a Go program may make, on either architecture. All other system calls fail, and a
// system call in lethal kills the process.
//
// The runtime and packages os, syscall, time and testing need them. None opens a file, makes a socket, a pipe or a
// process, or asks about another process.
var rules = []rule{
	{call: unix.SYS_FUTEX, conditions: []condition{equals(1, futexWait, futexWake)}, otherwise: unsupported},
	{call: unix.SYS_NANOSLEEP},
	{call: unix.SYS_SCHED_YIELD},
	{call: unix.SYS_CLOCK_GETTIME},
	{call: unix.SYS_READ},
	{call: unix.SYS_WRITE},
	{call: unix.SYS_CLOSE},
	{call: unix.SYS_EPOLL_PWAIT},
	{call: unix.SYS_EPOLL_CTL},
	{call: unix.SYS_EPOLL_CREATE1},
	{call: unix.SYS_EVENTFD2},
	// The process has the number 1 in its namespace. It signals itself to preempt a goroutine.
	{call: unix.SYS_TGKILL, conditions: []condition{equals(0, 1)}, otherwise: refuse},
	{call: unix.SYS_RT_SIGACTION},
	{call: unix.SYS_RT_SIGPROCMASK},
	{call: unix.SYS_RT_SIGRETURN},
	{call: unix.SYS_SIGALTSTACK},
	{call: unix.SYS_RESTART_SYSCALL},
	{call: unix.SYS_GETPID},
	{call: unix.SYS_GETTID},
	{call: unix.SYS_GETRANDOM},
	{call: unix.SYS_SCHED_GETAFFINITY},
	{call: unix.SYS_MMAP, conditions: []condition{
		equals(2, protections...),
		{argument: 3, without: unix.MAP_FIXED | unix.MAP_NORESERVE, values: []uint32{anonymous}},
	}, otherwise: refuse},
	{call: unix.SYS_MUNMAP},
	{call: unix.SYS_MPROTECT, conditions: []condition{equals(2, protections...)}, otherwise: refuse},
	{call: unix.SYS_MADVISE, conditions: []condition{equals(2,
		unix.MADV_DONTNEED, unix.MADV_FREE, unix.MADV_HUGEPAGE, unix.MADV_NOHUGEPAGE, unix.MADV_COLLAPSE,
	)}, otherwise: unsupported},
	{call: unix.SYS_FCNTL, conditions: []condition{equals(1, unix.F_GETFD, unix.F_GETFL)}, otherwise: refuse},
	// Threads, and no processes.
	{call: unix.SYS_CLONE, conditions: []condition{
		{without: unix.CLONE_SETTLS, values: []uint32{threadFlags}},
	}, otherwise: kill},
	// Its flags are in memory, which a filter cannot read. The runtime then uses clone.
	{call: unix.SYS_CLONE3, conditions: []condition{never}, otherwise: unsupported},
	// The call by which the process becomes the program. Afterwards that file descriptor is closed.
	{call: unix.SYS_EXECVEAT, conditions: []condition{
		equals(0, programFD), equals(4, unix.AT_EMPTY_PATH),
	}, otherwise: kill},
	{call: unix.SYS_EXIT},
	{call: unix.SYS_EXIT_GROUP},
}

// lethal are system calls that no honest program makes by mistake: calls in which the kernel had faults, and calls that
// an escape would need.
var lethal = []uint32{
	unix.SYS_PTRACE, unix.SYS_PROCESS_VM_READV, unix.SYS_PROCESS_VM_WRITEV, unix.SYS_KCMP, unix.SYS_PIDFD_GETFD,
	unix.SYS_MOUNT, unix.SYS_UMOUNT2, unix.SYS_PIVOT_ROOT, unix.SYS_CHROOT, unix.SYS_FSOPEN, unix.SYS_FSMOUNT,
	unix.SYS_FSPICK, unix.SYS_FSCONFIG, unix.SYS_MOVE_MOUNT, unix.SYS_OPEN_TREE, unix.SYS_MOUNT_SETATTR,
	unix.SYS_UNSHARE, unix.SYS_SETNS,
	unix.SYS_BPF, unix.SYS_PERF_EVENT_OPEN, unix.SYS_USERFAULTFD,
	unix.SYS_IO_URING_SETUP, unix.SYS_IO_URING_ENTER, unix.SYS_IO_URING_REGISTER,
	unix.SYS_KEYCTL, unix.SYS_ADD_KEY, unix.SYS_REQUEST_KEY,
	unix.SYS_MEMFD_CREATE, unix.SYS_MEMFD_SECRET, unix.SYS_EXECVE, unix.SYS_PERSONALITY,
	unix.SYS_OPEN_BY_HANDLE_AT, unix.SYS_NAME_TO_HANDLE_AT, unix.SYS_FANOTIFY_INIT,
	unix.SYS_INIT_MODULE, unix.SYS_FINIT_MODULE, unix.SYS_DELETE_MODULE, unix.SYS_KEXEC_LOAD, unix.SYS_KEXEC_FILE_LOAD,
	unix.SYS_REBOOT, unix.SYS_SWAPON, unix.SYS_SWAPOFF, unix.SYS_ACCT, unix.SYS_SETTIMEOFDAY, unix.SYS_CLOCK_SETTIME,
	unix.SYS_SETUID, unix.SYS_SETGID, unix.SYS_SETRESUID, unix.SYS_SETRESGID, unix.SYS_SETGROUPS, unix.SYS_CAPSET,
	unix.SYS_PROCESS_MADVISE, unix.SYS_MOVE_PAGES, unix.SYS_MIGRATE_PAGES, unix.SYS_SECCOMP,
}

// x32 marks the system calls of amd64's x32 ABI.
const x32 = 0x40000000

// Offsets in the kernel's struct seccomp_data, which a filter reads. Both architectures are little-endian.
const (
	offsetCall      = 0
	offsetArch      = 4
	offsetArguments = 16
)

// assemble returns the filter. It checks the architecture first, because numbers of system calls depend on it.
func assemble(arch uint32) ([]bpf.Instruction, error) {
	program := []bpf.Instruction{
		bpf.LoadAbsolute{Off: offsetArch, Size: 4},
		bpf.JumpIf{Cond: bpf.JumpEqual, Val: arch, SkipTrue: 1},
		bpf.RetConstant{Val: kill},
		bpf.LoadAbsolute{Off: offsetCall, Size: 4},
		bpf.JumpIf{Cond: bpf.JumpLessThan, Val: x32, SkipTrue: 1},
		bpf.RetConstant{Val: kill},
	}
	for _, r := range slices.Concat(rules, archRules) {
		body := r.instructions()
		if len(body) > 255 {
			return nil, fmt.Errorf("the rule for system call %d is too long", r.call)
		}
		program = append(program, bpf.JumpIf{Cond: bpf.JumpNotEqual, Val: r.call, SkipTrue: uint8(len(body))})
		program = append(program, body...)
	}
	for _, call := range slices.Concat(lethal, archLethal) {
		program = append(program,
			bpf.JumpIf{Cond: bpf.JumpNotEqual, Val: call, SkipTrue: 1},
			bpf.RetConstant{Val: kill})
	}
	return append(program, bpf.RetConstant{Val: refuse}), nil
}

// instructions return the part of the filter that decides about the rule's call.
func (r rule) instructions() []bpf.Instruction {
	var body []bpf.Instruction
	for _, c := range r.conditions {
		offset := offsetArguments + 8*uint32(c.argument)
		body = append(body,
			bpf.LoadAbsolute{Off: offset + 4, Size: 4},
			bpf.JumpIf{Cond: bpf.JumpEqual, Val: 0, SkipTrue: 1},
			bpf.RetConstant{Val: r.otherwise},
			bpf.LoadAbsolute{Off: offset, Size: 4})
		if c.without != 0 {
			body = append(body, bpf.ALUOpConstant{Op: bpf.ALUOpAnd, Val: ^c.without})
		}
		for i, value := range c.values {
			// Past the other values and the return.
			body = append(body, bpf.JumpIf{Cond: bpf.JumpEqual, Val: value, SkipTrue: uint8(len(c.values) - i)})
		}
		body = append(body, bpf.RetConstant{Val: r.otherwise})
	}
	return append(body, bpf.RetConstant{Val: allow})
}

// A filter is in the form that the kernel reads.
type filter []unix.SockFilter

func newFilter() (filter, error) {
	program, err := assemble(auditArch)
	if err != nil {
		return nil, err
	}
	return assembled(program)
}

func assembled(program []bpf.Instruction) (filter, error) {
	raw, err := bpf.Assemble(program)
	if err != nil {
		return nil, fmt.Errorf("assemble the filter: %w", err)
	}
	f := make(filter, len(raw))
	for i, r := range raw {
		f[i] = unix.SockFilter{Code: r.Op, Jt: r.Jt, Jf: r.Jf, K: r.K}
	}
	return f, nil
}

// install applies the filter to this thread, which can then do little except execute the program.
func (f filter) install() error {
	if err := noNewPrivileges(); err != nil {
		return err
	}
	return f.installWith(0)
}

func (f filter) installWith(flags uintptr) error {
	program := unix.SockFprog{Len: uint16(len(f)), Filter: &f[0]}
	_, _, errno := unix.RawSyscall(
		unix.SYS_SECCOMP, unix.SECCOMP_SET_MODE_FILTER, flags, uintptr(unsafe.Pointer(&program)))
	runtime.KeepAlive(f)
	if errno != 0 {
		return os.NewSyscallError("seccomp", errno)
	}
	return nil
}
