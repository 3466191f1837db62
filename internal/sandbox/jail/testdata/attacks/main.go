// Attacks is many small hostile programs. Its first argument names one. It prints "stopped: " and the kernel's error if
// the attack was refused, and the attack's result if it was not.
package main

import (
	"errors"
	"fmt"
	"maps"
	"os"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"
)

func main() {
	if os.Args[1] == "list" {
		fmt.Println(strings.Join(slices.Sorted(maps.Keys(attacks)), "\n"))
		return
	}
	attack, ok := attacks[os.Args[1]]
	if !ok {
		fmt.Println("there is no such attack")
		os.Exit(1)
	}
	fmt.Println(attack())
}

// got returns the result of an attack that ended with err.
func got(err error) string {
	if err != nil {
		return "stopped: " + err.Error()
	}
	return "done"
}

// call makes a system call.
func call(number uintptr, args ...uintptr) error {
	var all [6]uintptr
	copy(all[:], args)
	_, _, errno := syscall.Syscall6(number, all[0], all[1], all[2], all[3], all[4], all[5])
	if errno != 0 {
		return errno
	}
	return nil
}

// text returns a string as an argument of a system call.
func text(s string) uintptr {
	b := append([]byte(s), 0)
	kept = append(kept, b)
	return uintptr(unsafe.Pointer(&b[0]))
}

var kept [][]byte

// argument returns the number that the test gave the attack.
func argument() uintptr {
	n, err := strconv.Atoi(os.Args[2])
	if err != nil {
		panic(err)
	}
	return uintptr(n)
}

// calling returns an attack that is one system call.
func calling(number uintptr, args ...uintptr) func() string {
	return func() string { return got(call(number, args...)) }
}

// connecting returns an attack that makes a socket and connects it.
func connecting(family, kind, protocol int, to unix.Sockaddr) func() string {
	return func() string {
		fd, err := unix.Socket(family, kind, protocol)
		if err == nil && to != nil {
			err = unix.Connect(fd, to)
		}
		return got(err)
	}
}

// reading returns an attack that reads files.
func reading(names ...string) func() string {
	return func() string {
		var errs []error
		for _, name := range names {
			_, err := os.ReadFile(name)
			if err == nil {
				return "read " + name
			}
			errs = append(errs, errors.Unwrap(err))
		}
		return got(errs[0])
	}
}

// writable is memory that a system call writes to.
var writable [4096]byte

var here = uintptr(unsafe.Pointer(&writable))

var attacks map[string]func() string

func init() { attacks = all() }

func all() map[string]func() string {
	return map[string]func() string{
		// Honest programs.
		"hello": func() string {
			os.NewFile(3, "report").WriteString("reported")
			return "hello"
		},
		"exits": func() string { os.Exit(7); return "" },
		"computes": func() string {
			sums := make(chan int)
			for range 50 {
				go func() {
					sum := 0
					for i := range 200_000 {
						sum += i
					}
					sums <- sum
				}()
			}
			for range 50 {
				<-sums
			}
			time.Sleep(10 * time.Millisecond)
			return "computed"
		},
		"collects garbage": func() string {
			for range 100 {
				kept = append(kept[:0], make([]byte, 1<<20))
				runtime.GC()
			}
			return "collected"
		},
		"panics":    func() string { panic("oh") },
		"deadlocks": func() string { select {} },
		"overflows": func() string { return overflow("x") },

		"environment": func() string { return fmt.Sprintf("%q %q", os.Environ(), os.Args[1:]) },
		"descriptors": func() string {
			var open []string
			for fd := range 4096 {
				if _, err := unix.FcntlInt(uintptr(fd), unix.F_GETFD, 0); err == nil {
					open = append(open, strconv.Itoa(fd))
				}
			}
			return strings.Join(open, " ")
		},
		"stdin": func() string {
			n, err := os.Stdin.Read(make([]byte, 1))
			return fmt.Sprint(n, err)
		},
		"reads its pipes": func() string {
			var errs []string
			for fd := 1; fd <= 3; fd++ {
				_, err := unix.Read(fd, make([]byte, 1))
				errs = append(errs, fmt.Sprint(err))
			}
			return strings.Join(errs, ", ")
		},
		"reads another's output": func() string {
			return reading("/proc/"+os.Args[2]+"/fd/1", "/proc/"+os.Args[2]+"/fd/3")()
		},
		"names itself": func() string {
			var name unix.Utsname
			if err := unix.Uname(&name); err != nil {
				return got(err)
			}
			return unix.ByteSliceToString(name.Nodename[:])
		},

		"ptrace":           calling(unix.SYS_PTRACE, unix.PTRACE_TRACEME),
		"ptrace attach":    func() string { return got(call(unix.SYS_PTRACE, unix.PTRACE_ATTACH, argument())) },
		"process_vm_readv": func() string { return got(call(unix.SYS_PROCESS_VM_READV, argument(), here, 1, here, 1)) },
		"kcmp":             calling(unix.SYS_KCMP, 1, 1),
		"pidfd_getfd":      calling(unix.SYS_PIDFD_GETFD, 3, 0),
		"mount":            func() string { return got(unix.Mount("x", "/", "tmpfs", 0, "")) },
		"remount":          func() string { return got(unix.Mount("", "/", "", unix.MS_REMOUNT|unix.MS_BIND, "")) },
		"mount proc":       func() string { return got(unix.Mount("x", "/", "proc", 0, "")) },
		"umount":           func() string { return got(unix.Unmount("/", unix.MNT_DETACH)) },
		"pivot_root":       func() string { return got(unix.PivotRoot("/", "/")) },
		"chroot":           func() string { return got(unix.Chroot("/")) },
		"fsopen":           func() string { return got(call(unix.SYS_FSOPEN, text("tmpfs"), 0)) },
		"open_tree":        func() string { return got(call(unix.SYS_OPEN_TREE, ^uintptr(99), text("/"), 1)) },
		"move_mount":       calling(unix.SYS_MOVE_MOUNT),
		"unshare users":    calling(unix.SYS_UNSHARE, unix.CLONE_NEWUSER),
		"unshare mounts":   calling(unix.SYS_UNSHARE, unix.CLONE_NEWNS),
		"unshare network":  calling(unix.SYS_UNSHARE, unix.CLONE_NEWNET),
		"setns":            calling(unix.SYS_SETNS, 3, 0),
		"bpf":              calling(unix.SYS_BPF, 0, here, 64),
		"perf_event_open":  calling(unix.SYS_PERF_EVENT_OPEN, here, 0, ^uintptr(0), ^uintptr(0), 0),
		"userfaultfd":      calling(unix.SYS_USERFAULTFD, 0),
		"io_uring_setup":   calling(unix.SYS_IO_URING_SETUP, 8, here),
		"io_uring_enter":   calling(unix.SYS_IO_URING_ENTER, 3, 1, 1, 0),
		"keyctl":           calling(unix.SYS_KEYCTL, 0, ^uintptr(2), 1),
		"add_key": func() string {
			return got(call(unix.SYS_ADD_KEY, text("user"), text("x"), text("y"), 1, ^uintptr(2)))
		},
		"memfd_create":     func() string { return got(call(unix.SYS_MEMFD_CREATE, text("x"), 0)) },
		"memfd and execve": memfdExec,
		"execve":           func() string { return got(syscall.Exec("/bin/true", []string{"true"}, nil)) },
		"execveat":         func() string { return got(execveat(^uintptr(99), "/bin/true", 0)) },
		"execveat of a pipe": func() string {
			return got(execveat(3, "", unix.AT_EMPTY_PATH))
		},
		"execveat again":    func() string { return got(execveat(4, "", unix.AT_EMPTY_PATH)) },
		"execveat by name":  func() string { return got(execveat(4, "/bin/true", unix.AT_EMPTY_PATH)) },
		"personality":       calling(unix.SYS_PERSONALITY, 0x0400000), // READ_IMPLIES_EXEC
		"open_by_handle_at": calling(unix.SYS_OPEN_BY_HANDLE_AT, 3, here, 0),
		"init_module":       func() string { return got(call(unix.SYS_INIT_MODULE, here, 64, text(""))) },
		"kexec":             calling(unix.SYS_KEXEC_FILE_LOAD),
		"reboot":            calling(unix.SYS_REBOOT),
		"setuid":            calling(unix.SYS_SETUID, 0),
		"setgroups":         calling(unix.SYS_SETGROUPS, 0, 0),
		"capset":            calling(unix.SYS_CAPSET, here, here),
		"seccomp":           calling(unix.SYS_SECCOMP, 0),

		"fork":   func() string { return got(forked()) },
		"clone3": calling(unix.SYS_CLONE3, here, 64),
		"clone with namespaces": func() string {
			return got(call(unix.SYS_CLONE, unix.CLONE_NEWUSER|uintptr(unix.SIGCHLD)))
		},
		"starts a program": func() string {
			_, err := os.StartProcess("/bin/true", []string{"true"}, &os.ProcAttr{})
			return got(err)
		},
		"fork bomb": forkBomb,
		"orphan": func() string {
			if err := forked(); err != nil {
				return got(err)
			}
			return "left a process behind"
		},

		"kill all":        calling(unix.SYS_KILL, ^uintptr(0), uintptr(unix.SIGKILL)),
		"kill the parent": func() string { return got(unix.Kill(os.Getppid(), unix.SIGKILL)) },
		"kill by number":  func() string { return got(call(unix.SYS_KILL, argument(), uintptr(unix.SIGKILL))) },
		"tgkill by number": func() string {
			return got(call(unix.SYS_TGKILL, argument(), argument(), uintptr(unix.SIGKILL)))
		},
		"tkill by number": func() string { return got(call(unix.SYS_TKILL, argument(), uintptr(unix.SIGKILL))) },
		"kill the group":  calling(unix.SYS_KILL, 0, uintptr(unix.SIGKILL)),
		"rt_sigqueueinfo": func() string {
			return got(call(unix.SYS_RT_SIGQUEUEINFO, argument(), uintptr(unix.SIGKILL), here))
		},
		"pidfd_open":         func() string { return got(call(unix.SYS_PIDFD_OPEN, argument(), 0)) },
		"pidfd_send_signal":  calling(unix.SYS_PIDFD_SEND_SIGNAL, 3, uintptr(unix.SIGKILL), 0, 0),
		"signals to a group": calling(unix.SYS_FCNTL, 3, unix.F_SETOWN, 1),
		"stops itself": func() string {
			return got(call(unix.SYS_TGKILL, 1, uintptr(unix.Gettid()), uintptr(unix.SIGSTOP)))
		},
		"crashes with a dump": func() string {
			return got(call(unix.SYS_TGKILL, 1, uintptr(unix.Gettid()), uintptr(unix.SIGQUIT)))
		},
		"can be dumped": func() string {
			n, err := unix.PrctlRetInt(unix.PR_GET_DUMPABLE, 0, 0, 0, 0)
			return fmt.Sprint(n, err)
		},
		"survives its starter": calling(unix.SYS_PRCTL, unix.PR_SET_PDEATHSIG, 0),

		"reads proc":   reading("/proc/self/status", "/proc/1/environ", "/proc/self/maps", "/proc/self/exe"),
		"reads sys":    reading("/sys/kernel/mm/transparent_hugepage/enabled", "/sys/fs/cgroup/cgroup.procs"),
		"reads files":  reading("/etc/passwd", "../../../etc/passwd", "/", ".", "/dev/null", "/tmp"),
		"writes files": func() string { return got(os.WriteFile("/x", nil, 0o600)) },
		"makes a folder": func() string {
			return got(os.Mkdir("/x", 0o700))
		},
		"opens by openat2": func() string { return got(call(unix.SYS_OPENAT2, ^uintptr(99), text("/"), here, 24)) },
		"goes up": func() string {
			for range 10 {
				if err := unix.Chdir(".."); err != nil {
					return got(err)
				}
			}
			return reading("etc/passwd")()
		},
		"makes a device": func() string { return got(unix.Mknod("/x", unix.S_IFCHR|0o600, 0x101)) },

		"inet": connecting(unix.AF_INET, unix.SOCK_STREAM, 0, nil),
		"inet to a listener": func() string {
			listener := &unix.SockaddrInet4{Port: int(argument()), Addr: [4]byte{127, 0, 0, 1}}
			return connecting(unix.AF_INET, unix.SOCK_STREAM, 0, listener)()
		},
		"inet6":   connecting(unix.AF_INET6, unix.SOCK_DGRAM, 0, nil),
		"unix":    connecting(unix.AF_UNIX, unix.SOCK_STREAM, 0, nil),
		"netlink": connecting(unix.AF_NETLINK, unix.SOCK_RAW, 0, nil),
		"vsock":   connecting(unix.AF_VSOCK, unix.SOCK_STREAM, 0, nil),
		"packet":  connecting(unix.AF_PACKET, unix.SOCK_RAW, 0, nil),
		"alg":     connecting(unix.AF_ALG, unix.SOCK_SEQPACKET, 0, nil),
		"abstract socket": func() string {
			return connecting(unix.AF_UNIX, unix.SOCK_STREAM, 0, &unix.SockaddrUnix{Name: "@" + os.Args[2]})()
		},
		"socketpair": func() string { return got(call(unix.SYS_SOCKETPAIR, unix.AF_UNIX, unix.SOCK_STREAM, 0, here)) },

		"mmap to execute": func() string {
			_, err := unix.Mmap(-1, 0, 4096, unix.PROT_READ|unix.PROT_EXEC, unix.MAP_ANON|unix.MAP_PRIVATE)
			return got(err)
		},
		"mprotect to execute": func() string {
			m, err := unix.Mmap(-1, 0, 4096, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_ANON|unix.MAP_PRIVATE)
			if err == nil {
				err = unix.Mprotect(m, unix.PROT_READ|unix.PROT_EXEC)
			}
			return got(err)
		},
		"shared memory": func() string {
			_, err := unix.Mmap(-1, 0, 4096, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_ANON|unix.MAP_SHARED)
			return got(err)
		},
		"shmget": calling(unix.SYS_SHMGET, 0, 4096, 0o1600),
		"msgget": calling(unix.SYS_MSGGET, 0, 0o1600),
		"semget": calling(unix.SYS_SEMGET, 0, 1, 0o1600),
		"mq_open": func() string {
			return got(call(unix.SYS_MQ_OPEN, text("x"), unix.O_CREAT|unix.O_RDWR, 0o600, 0))
		},
		"merges memory": calling(unix.SYS_MADVISE, here&^4095, 4096, unix.MADV_MERGEABLE),
		"locks memory":  calling(unix.SYS_MLOCK, here, 1),
		"raises a limit": func() string {
			return got(unix.Setrlimit(unix.RLIMIT_DATA, &unix.Rlimit{Cur: 1 << 40, Max: 1 << 40}))
		},
		"raises its priority": func() string {
			return got(unix.Setpriority(unix.PRIO_PROCESS, 0, -20))
		},
		"real time":          calling(unix.SYS_SCHED_SETSCHEDULER, 0, 1, here),
		"may be dumped":      calling(unix.SYS_PRCTL, unix.PR_SET_DUMPABLE, 1),
		"gets capabilities":  calling(unix.SYS_PRCTL, unix.PR_CAP_AMBIENT, unix.PR_CAP_AMBIENT_RAISE, 0),
		"types for the user": func() string { return got(call(unix.SYS_IOCTL, 0, unix.TIOCSTI, text("x"))) },
		"ioctl":              calling(unix.SYS_IOCTL, 1, unix.TIOCINQ, here),
		"enlarges a pipe":    calling(unix.SYS_FCNTL, 1, unix.F_SETPIPE_SZ, 1<<20),
		"changes a pipe":     calling(unix.SYS_FCNTL, 1, unix.F_SETFL, unix.O_NONBLOCK),
		"dup":                calling(unix.SYS_DUP, 1),
		"pipe":               func() string { return got(call(unix.SYS_PIPE2, here, 0)) },
		"splice":             calling(unix.SYS_VMSPLICE, 1, here, 1, 0),
		"timers":             calling(unix.SYS_TIMER_CREATE, 0, 0, here),
		"inotify":            calling(unix.SYS_INOTIFY_INIT1, 0),
		"sets the clock":     calling(unix.SYS_CLOCK_SETTIME, 0, here),
		"sysinfo":            calling(unix.SYS_SYSINFO, here),
		"no such call":       calling(4000),
		"futex":              calling(unix.SYS_FUTEX, here, 6, 0),

		"x32":    x32,
		"int 80": int80,

		// Attacks that take as much as they can get.
		"loops": func() string {
			for {
			}
		},
		"loops everywhere": func() string {
			for range 16 {
				go func() {
					for {
					}
				}()
			}
			select {}
		},
		"sleeps": func() string {
			fmt.Println("asleep")
			time.Sleep(time.Hour)
			return "awake"
		},
		"allocates": func() string {
			for {
				b := make([]byte, 1<<20)
				for i := 0; i < len(b); i += 4096 {
					b[i] = 1
				}
				kept = append(kept, b)
			}
		},
		"maps memory": func() string {
			mapped := 0
			for {
				m, err := unix.Mmap(-1, 0, 1<<20, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_ANON|unix.MAP_PRIVATE)
				if err != nil {
					return fmt.Sprintf("%v after %v MiB", err, mapped>>20)
				}
				mapped += len(m)
			}
		},
		"makes memory writable": func() string {
			m, err := unix.Mmap(-1, 0, 1<<30, unix.PROT_NONE, unix.MAP_ANON|unix.MAP_PRIVATE)
			if err != nil {
				return got(err)
			}
			return got(unix.Mprotect(m, unix.PROT_READ|unix.PROT_WRITE))
		},
		"threads": func() string {
			for range 10_000 {
				go func() {
					runtime.LockOSThread()
					select {}
				}()
			}
			time.Sleep(time.Second)
			return "started all"
		},
		"epolls": func() string {
			for n := 0; ; n++ {
				if _, err := unix.EpollCreate1(0); err != nil {
					return fmt.Sprintf("%v after %v", err, n)
				}
			}
		},
		"prints": func() string {
			for {
				os.Stdout.Write(make([]byte, 1<<16))
			}
		},
		"reports": func() string {
			report := os.NewFile(3, "report")
			for {
				if _, err := report.Write(make([]byte, 1<<16)); err != nil {
					return got(err)
				}
			}
		},
		"closes its streams": func() string {
			for fd := range 16 {
				syscall.Close(fd)
			}
			select {}
		},
	}
}

func overflow(s string) string { return overflow(s+"x") + s }

// memfdExec executes a file in memory.
func memfdExec() string {
	fd, err := unix.MemfdCreate("x", 0)
	if err != nil {
		return got(err)
	}
	if _, err := unix.Write(fd, []byte("#!/bin/sh\n")); err != nil {
		return got(err)
	}
	return got(execveat(uintptr(fd), "", unix.AT_EMPTY_PATH))
}

// argv is a variable of the package, because the address of a local one changes when the stack grows.
var argv [2]uintptr

func execveat(fd uintptr, name string, flags uintptr) error {
	argv[0] = text("x")
	args, env := uintptr(unsafe.Pointer(&argv[0])), uintptr(unsafe.Pointer(&argv[1]))
	return call(unix.SYS_EXECVEAT, fd, text(name), args, env, flags)
}

// forked starts a process that sleeps for ever.
func forked() error {
	pid, _, errno := syscall.RawSyscall6(unix.SYS_CLONE, uintptr(unix.SIGCHLD), 0, 0, 0, 0, 0)
	if errno != 0 {
		return errno
	}
	if pid == 0 {
		syscall.RawSyscall(unix.SYS_SETSID, 0, 0, 0)
		for {
			hour := unix.Timespec{Sec: 3600}
			syscall.RawSyscall(unix.SYS_NANOSLEEP, uintptr(unsafe.Pointer(&hour)), 0, 0)
		}
	}
	return nil
}

// forkBomb starts processes until it cannot start more.
func forkBomb() string {
	for n := 0; ; n++ {
		if err := forked(); err != nil {
			return fmt.Sprintf("stopped: %v after %d", err, n)
		}
		if n > 1000 {
			return "made a thousand processes"
		}
	}
}
