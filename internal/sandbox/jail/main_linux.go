//go:build amd64 || arm64

package jail

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"os"
	"runtime"
	"syscall"
	"unsafe"

	"golang.org/x/sys/unix"
)

// Main turns a process that [Command.Run] started into the jailed program, and then does not return. In any other
// process it does nothing.
func Main() {
	if len(os.Args) != 2 {
		return
	}
	var err error
	switch os.Args[0] {
	case starterName:
		if err = startJail([]byte(os.Args[1])); err == nil {
			os.Exit(0)
		}
	case jailName:
		err = enter([]byte(os.Args[1]))
	default:
		return
	}
	// A LayerError's text begins with the layer.
	if layer := (*LayerError)(nil); !errors.As(err, &layer) {
		err = &LayerError{start, err}
	}
	fmt.Fprint(os.NewFile(statusFD, "status"), err)
	os.Exit(1)
}

// start is the layer of an error that comes before all layers.
const start Layer = "start"

// enter puts the layers around this thread and executes the program. It returns only if that fails.
func enter(text []byte) error {
	// Except for namespaces, the layers apply to a thread. execveat(2) ends all other threads.
	runtime.LockOSThread()
	var p plan
	if err := json.Unmarshal(text, &p); err != nil {
		return err
	}
	exec, err := prepareExec(p.Args, p.Env)
	if err != nil {
		return err
	}
	// Whatever the process inherited by mistake is closed when it becomes the program.
	if err := unix.CloseRange(programFD, math.MaxUint32, unix.CLOSE_RANGE_CLOEXEC); err != nil {
		return os.NewSyscallError("close_range", err)
	}
	// The process is killed when the thread that started it ends. The thread that executes the program must ask for
	// that.
	if err := unix.Prctl(unix.PR_SET_PDEATHSIG, uintptr(unix.SIGKILL), 0, 0, 0); err != nil {
		return os.NewSyscallError("prctl", err)
	}
	// From now on. The starter may have ended before, and then nobody would end the program.
	starter := []unix.PollFd{{Fd: starterFD}}
	if n, err := unix.Poll(starter, 0); err != nil {
		return os.NewSyscallError("poll", err)
	} else if n > 0 {
		return errors.New("the starter has ended")
	}
	if err := yieldToOthers(); err != nil {
		return err
	}
	filter, err := newFilter()
	if err != nil {
		return &LayerError{Seccomp, err}
	}
	for _, l := range []struct {
		layer Layer
		enter func() error
	}{
		{Namespaces, checkNamespaces},
		{Root, enterEmptyRoot},
		{Capabilities, dropCapabilities},
		{Landlock, restrictByLandlock},
		// The limit on memory counts the stacks of this process's own threads, of which a busy machine has more, so
		// nothing is allocated after it.
		{Limits, func() error { return setLimits(p.Bounds) }},
		{Seccomp, filter.install},
	} {
		if p.Without[l.layer] {
			continue
		}
		if err := l.enter(); err != nil {
			return &LayerError{l.layer, err}
		}
	}
	return exec()
}

// prepareExec returns a function that executes the program, which is open as programFD, and allocates nothing before.
func prepareExec(args, env []string) (exec func() error, err error) {
	if len(args) == 0 {
		return nil, errors.New("a program needs a name")
	}
	path := new(byte)
	argv, err := syscall.SlicePtrFromStrings(args)
	if err != nil {
		return nil, err
	}
	envv, err := syscall.SlicePtrFromStrings(env)
	return func() error {
		_, _, errno := unix.RawSyscall6(unix.SYS_EXECVEAT, programFD, uintptr(unsafe.Pointer(path)),
			uintptr(unsafe.Pointer(&argv[0])), uintptr(unsafe.Pointer(&envv[0])), unix.AT_EMPTY_PATH, 0)
		runtime.KeepAlive(argv)
		runtime.KeepAlive(envv)
		return os.NewSyscallError("execveat", errno)
	}, err
}

// yieldToOthers has the kernel schedule the process as a batch job, at a lower priority than the runner.
func yieldToOthers() error {
	const lower = 5
	// The system call returns 20 minus the niceness. The niceness may be higher already, and cannot be lowered.
	priority, err := unix.Getpriority(unix.PRIO_PROCESS, 0)
	if err != nil {
		return os.NewSyscallError("getpriority", err)
	}
	attr := unix.SchedAttr{
		Size: unix.SizeofSchedAttr, Policy: unix.SCHED_BATCH, Nice: int32(min(20-priority+lower, 19)),
	}
	return os.NewSyscallError("sched_setattr", unix.SchedSetAttr(0, &attr, 0))
}
