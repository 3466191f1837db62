package build

import "time"

// Limits bound a build. The fields after Output are limits of the operating system on each process of the build, on
// Unix only; 0 is no limit.
type Limits struct {
	Time      time.Duration // wall clock, of the whole build
	Output    int           // bytes that the compiler and the linker print
	Memory    int           // bytes of address space
	CPU       time.Duration // processor time; it ends a build even if this process is gone
	File      int           // bytes of a file that is written
	Processes int           // processes and threads of the user, this process's own included; no limit for root
}

// DefaultLimits are for the user's own code. They allow for the first build on a machine, which compiles the standard
// library too. Memory is twice that of StrangerLimits.
func DefaultLimits() Limits {
	return Limits{Time: 3 * time.Minute, Output: 64 << 20, Memory: 4 << 30, CPU: 3 * time.Minute, File: 1 << 30}
}

// StrangerLimits are for programs of strangers on a server, where the standard library is compiled already. The
// compiler needs 1.2 GiB of address space for hello world, nearly all of it never touched.
func StrangerLimits() Limits {
	return Limits{
		Time:      10 * time.Second,
		Output:    1 << 20,
		Memory:    2 << 30,
		CPU:       20 * time.Second,
		File:      256 << 20,
		Processes: 8192,
	}
}

// SandboxLimits are for programs of strangers on a user's own machine. The limits on each process are those of
// StrangerLimits. The time is that of DefaultLimits, because the first build compiles the standard library. Processes
// are not limited, because all of the user's processes count.
func SandboxLimits() Limits {
	l := StrangerLimits()
	l.Time, l.Processes = DefaultLimits().Time, 0
	return l
}
