package execution

import "fmt"

// A Result is how the run of a program ended.
type Result struct {
	Events []Event
	Exit   int // exit code
	Stop   Stop
}

// Overflow is what Go prints when a goroutine's stack overflows. It stands after what a program printed whose calls went deeper than
// an engine's stack, because the engine ends such a program without a word.
const Overflow = "fatal error: stack overflow\n"

// Note returns the line that follows the output of a program that s stopped, "" if there is none. The first one begins as that of
// the Go playground does, which its clients recognize.
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
