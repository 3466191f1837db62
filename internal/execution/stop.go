package execution

import (
	"fmt"
	"regexp"
	"strings"
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

// predicates has what String returns for each Kind. TIME and SIZE stand for the limit.
var predicates = map[Kind]string{
	NotStopped:    "",
	BuildTime:     "took longer than TIME and was stopped",
	ProcessorTime: "used more than TIME of processor time and was stopped",
	Memory:        "needed more than SIZE of memory and was stopped",
	FileSize:      "wrote a file of more than SIZE and was stopped",
	Output:        "printed more than SIZE and was stopped",
	RunTime:       "ran longer than TIME and was stopped",
	RequestTime:   "ran longer than TIME, its build included, and was stopped",
	IdleTime:      "ran for TIME without ending a benchmark and was stopped",
	LoadTime:      "was not ready to run after TIME",
	StackDepth:    "recursed too deep and was stopped",
	CompilerStack: "needed more than the browser's stack and was stopped",
	Killed:        "was stopped by the operating system, which may have no memory left",
}

// Transient reports whether another attempt may have a different result, because reaching the limit depends on the load
// of the machine.
func (k Kind) Transient() bool {
	return k != NotStopped && k != Output && k != StackDepth && k != CompilerStack
}

// String returns the predicate of a sentence about a build or a program: "took longer than 30s and was stopped". It is
// empty for the zero Stop.
func (s Stop) String() string {
	predicate, known := predicates[s.Kind]
	if !known {
		return fmt.Sprintf("was stopped by limit %d", s.Kind)
	}
	return strings.NewReplacer("TIME", s.Time.String(), "SIZE", size(s.Bytes)).Replace(predicate)
}

// size returns a number of bytes in MiB, or in KiB if it is not a whole number of MiB.
func size(bytes int) string {
	if bytes%(1<<20) == 0 {
		return fmt.Sprintf("%d MiB", bytes>>20)
	}
	return fmt.Sprintf("%d KiB", bytes>>10)
}

// outOfMemoryPattern matches, with the flag m, a line that Go's runtime, or a process that it has started, prints when
// it gets no more memory. The page's engine has it too, by "make generate". The texts are from runtime/malloc.go,
// mem_linux.go and os_linux.go, and from runtime/cgo; the last one is strerror's for ENOMEM. A program's source cannot
// imitate them: where a message quotes text from the source, a quotation mark precedes that text.
const outOfMemoryPattern = "^(fatal error: |runtime: |runtime/cgo: )[^\"`\\n]*" +
	"(out of memory|cannot allocate memory|pthread_create failed)" +
	"|^runtime: failed to create new OS thread|^[^\"`\\n]*cannot allocate memory$"

var outOfMemory = regexp.MustCompile("(?m)" + outOfMemoryPattern)

// OutOfMemory reports whether a process printed that it, or a process that it has started, gets no more memory.
func OutOfMemory(output []byte) bool { return outOfMemory.Match(output) }
