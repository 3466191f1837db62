package build

import (
	"time"

	"onthestack/internal/execution"
)

// Limits bound a build.
type Limits struct {
	Time   time.Duration // wall clock, of the whole build
	Output int           // bytes that the compiler and the linker print
	// The limits of each process of the build, on Unix only. The limit on processor time ends a build even after this
	// process has ended. An Isolated sets Nice from the Source.
	execution.ProcessLimits
}

// DefaultLimits returns the limits for the user's own code. They leave time for the first build on a machine, which
// also compiles the standard library. Memory is twice the Memory of StrangerLimits.
func DefaultLimits() Limits {
	return Limits{Time: 3 * time.Minute, Output: 64 << 20,
		ProcessLimits: execution.ProcessLimits{Memory: 4 << 30, CPU: 3 * time.Minute, File: 1 << 30}}
}

// StrangerLimits returns the limits for programs of strangers on a server, which has compiled the standard library
// before. The compiler reserves 1.2 GiB of address space for hello world, and uses little of it.
func StrangerLimits() Limits {
	return Limits{
		Time:   10 * time.Second,
		Output: 4 << 20, // the escape report on a package with generic iterators and their tests is 1 MiB
		ProcessLimits: execution.ProcessLimits{
			Memory: 2 << 30, CPU: 20 * time.Second, File: 256 << 20, Processes: 8192,
		},
	}
}

// SandboxLimits returns the limits for programs of strangers on a user's own machine. The limits on each process are
// the same as in StrangerLimits. The time is the same as in DefaultLimits, because the first build compiles the
// standard library. The number of processes is not limited, because the limit would count all processes of the user.
func SandboxLimits() Limits {
	l := StrangerLimits()
	l.Time, l.Processes = DefaultLimits().Time, 0
	return l
}
