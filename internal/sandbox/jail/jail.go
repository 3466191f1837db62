// Package jail runs a statically linked program of a stranger as a process that can do nothing but compute and write to
// two pipes. It needs Linux on amd64 or arm64; on other platforms [Probe] returns an error.
//
// The process is this program's own executable, started again. It puts one layer after the other around itself, and
// then becomes the stranger's program by execveat(2). So each program that uses the package must call [Main] first:
//
//	func main() {
//		jail.Main()
//		os.Exit(run(os.Args[1:], os.Stdout, os.Stderr))
//	}
//
// The layers are the constants of type [Layer], each in a file of its own. Most attacks are stopped by more than one
// layer, so that a fault in one of them is not yet an escape. The remaining risk is a fault in the kernel: a jailed
// program still makes some thirty system calls of the machine's own kernel.
package jail

import (
	"fmt"
	"io"
	"time"
)

// A Layer is one of the mechanisms that keep a program from the machine.
type Layer string

// The layers, in the order in which they are put around a process.
const (
	Namespaces   Layer = "namespaces"   // its own users, processes, mounts, network, IPC, host name and control groups
	Root         Layer = "root"         // an empty read-only file system, and no other
	Limits       Layer = "limits"       // the system's limits on a process (rlimits)
	Capabilities Layer = "capabilities" // no capability, not even in its own namespaces, and no way to get one
	Landlock     Layer = "landlock"     // no access to files, TCP ports, abstract sockets and other processes
	Seccomp      Layer = "seccomp"      // only the system calls that a Go program needs
)

// A LayerError is the error of a machine that cannot put a layer around a process.
type LayerError struct {
	Layer Layer
	Err   error
}

// Error implements error.
func (e *LayerError) Error() string { return fmt.Sprintf("%s: %v", e.Layer, e.Err) }

// Unwrap returns Err.
func (e *LayerError) Unwrap() error { return e.Err }

// Bounds limit one process. All must be positive.
type Bounds struct {
	Memory int           // bytes of private writable memory: heap, stacks and variables
	CPU    time.Duration // processor time of all its threads, in whole seconds; the process is then killed
}

// maxThreads bounds the threads of a process. Go's runtime has one for each processor, a few of its own, and one for
// each goroutine in a system call that blocks; in a jail only write blocks.
//
// The threads of all runs together also count for limits on the whole server, such as a container's limits, so this
// bound is low.
const maxThreads = 64

// MaxProcs is the greatest value of GOMAXPROCS with which a program has threads to spare.
const MaxProcs = 16

// A Command is one run of a program.
type Command struct {
	Program *Program
	Args    []string // os.Args[0] included
	Env     []string // the whole environment
	Output  io.Writer
	// Report gets what the program writes to file descriptor [ReportFD]. If a Write returns io.ErrShortWrite, the pipe
	// is closed, and the program's later writes fail.
	Report io.Writer
	Bounds Bounds

	without map[Layer]bool // the layers that a test leaves out, to see which others stop an attack
}

// ReportFD is the file descriptor of a program's pipe to [Command.Report]. The others are 0, an empty pipe, and 1 and
// 2, which are the pipe to [Command.Output].
const ReportFD = 3

// A State says how a run ended.
type State struct {
	Exit int // exit code; -1 if a signal ended the process
	// Refused is true if the kernel killed the process for a system call that no honest program makes.
	Refused bool
	Killed  bool          // by SIGKILL
	CPU     time.Duration // processor time of all threads
}
