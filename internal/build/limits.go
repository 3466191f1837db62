package build

import "time"

// Limits bound a build. Those below Output are the operating system's, for each of the build's processes, on Unix only; 0 is no
// bound.
type Limits struct {
	Time      time.Duration // wall clock, of the whole build
	Output    int           // bytes that compiler and linker print
	Memory    int           // bytes of address space
	CPU       time.Duration // processor time; it ends a build also when this process is no longer there to do so
	File      int           // bytes of a file that is written
	Processes int           // processes and threads of the user's, this process's own included; no bound for root
}

// DefaultLimits are for the caller's own code, and allow for the first build on a machine, which compiles the standard library too.
// Memory is twice what StrangerLimits have.
func DefaultLimits() Limits {
	return Limits{Time: 3 * time.Minute, Output: 64 << 20, Memory: 4 << 30, CPU: 3 * time.Minute, File: 1 << 30}
}

// StrangerLimits are for programs of strangers on a server, where the standard library is compiled already. The compiler needs 1.2 GiB of
// address space for hello world, nearly all of it never touched.
func StrangerLimits() Limits {
	return Limits{Time: 10 * time.Second, Output: 1 << 20, Memory: 2 << 30, CPU: 20 * time.Second, File: 256 << 20, Processes: 8192}
}

// SandboxLimits are for programs of strangers on a person's own machine. A process of the build may take what StrangerLimits allow. The
// time is that of DefaultLimits, because the first build compiles the standard library, and processes are not counted, because all of
// that person's count.
func SandboxLimits() Limits {
	l := StrangerLimits()
	l.Time, l.Processes = DefaultLimits().Time, 0
	return l
}
