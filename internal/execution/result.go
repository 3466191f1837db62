package execution

import "fmt"

// A Result is how the run of a program ended.
type Result struct {
	Events []Event
	Exit   int // exit code
	Stop   Stop
}

// Overflow is the message of Go's runtime for a goroutine whose stack overflows. It is appended to the output of a
// program whose calls exceed the stack of a WebAssembly engine, because the engine ends such a program without a
// message.
const Overflow = "fatal error: stack overflow\n"

// Note returns the line to append to the output of a program that s stopped, "" for none. The note for RunTime begins
// like that of the Go playground, which the playground's clients recognize.
func (s Stop) Note() string {
	switch s.Kind {
	case RunTime:
		return fmt.Sprintf("timeout running program after %v\n", s.Time)
	case RequestTime:
		return fmt.Sprintf("timeout running program: building and running it took longer than %v\n", s.Time)
	case LoadTime:
		return fmt.Sprintf("the program was not started: making it ready took longer than %v\n", s.Time)
	case StackDepth:
		return Overflow
	}
	return ""
}
