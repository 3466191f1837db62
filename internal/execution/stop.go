package execution

import (
	"fmt"
	"time"
)

// A Stop is the limit that ended a build or a run. The zero Stop means that it ended by itself.
type Stop struct {
	Kind  Kind
	Time  time.Duration // the limit, for kinds of time
	Bytes int           // the limit, for kinds of size
}

// A StopError is the cause, or part of the cause, with which a context ends when a program reaches a limit of the
// caller. A run in that context then has a result with this Stop, and with what the program has printed until then.
type StopError struct{ Stop }

func (e StopError) Error() string { return "it " + e.String() }

// A Kind is a kind of limit.
type Kind int

// The kinds of limits, by what they bound.
const (
	NotStopped    Kind = iota
	BuildTime          // wall-clock time of a build
	ProcessorTime      // processor time of a build or a native run
	Memory
	FileSize      // size of a file that a build writes
	Output        // output of a build or a program
	RunTime       // wall-clock time of a run
	RequestTime   // wall-clock time of a request: its build and its run together, without suspensions
	IdleTime      // wall-clock time in which no benchmark ends
	LoadTime      // wall-clock time until a WebAssembly program is ready to run
	StackDepth    // depth of calls on the stack of a WebAssembly engine
	CompilerStack // stack that a browser gives the compiler
	Killed        // no limit of ours: the operating system ended the build, nearly always for lack of memory
)

// Transient reports whether another attempt may have a different result, because reaching the limit depends on the load
// of the machine.
func (k Kind) Transient() bool {
	switch k {
	case BuildTime, ProcessorTime, RunTime, RequestTime, IdleTime, LoadTime, Memory, FileSize, Killed:
		return true
	}
	return false
}

// String returns the predicate of a sentence about a build or a program: "took longer than 30s and was stopped". It is
// empty for the zero Stop.
func (s Stop) String() string {
	switch s.Kind {
	case NotStopped:
		return ""
	case BuildTime:
		return fmt.Sprintf("took longer than %v and was stopped", s.Time)
	case ProcessorTime:
		return fmt.Sprintf("used more than %v of processor time and was stopped", s.Time)
	case Memory:
		return fmt.Sprintf("needed more than %s of memory and was stopped", size(s.Bytes))
	case FileSize:
		return fmt.Sprintf("wrote a file of more than %s and was stopped", size(s.Bytes))
	case Output:
		return fmt.Sprintf("printed more than %s and was stopped", size(s.Bytes))
	case RunTime:
		return fmt.Sprintf("ran longer than %v and was stopped", s.Time)
	case RequestTime:
		return fmt.Sprintf("ran longer than %v, its build included, and was stopped", s.Time)
	case IdleTime:
		return fmt.Sprintf("ran for %v without ending a benchmark and was stopped", s.Time)
	case LoadTime:
		return fmt.Sprintf("was not ready to run after %v", s.Time)
	case StackDepth:
		return "recursed too deep and was stopped"
	case CompilerStack:
		return "needed more than the browser's stack and was stopped"
	case Killed:
		return "was stopped by the operating system, which may have no memory left"
	}
	return fmt.Sprintf("was stopped by limit %d", s.Kind)
}

// size returns a number of bytes in MiB, or in KiB if it is not a whole number of MiB.
func size(bytes int) string {
	if bytes%(1<<20) == 0 {
		return fmt.Sprintf("%d MiB", bytes>>20)
	}
	return fmt.Sprintf("%d KiB", bytes>>10)
}
