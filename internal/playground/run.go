package playground

import (
	"fmt"
	"time"
)

// A Run is how the run of a program ended.
type Run struct {
	Events []Event
	Exit   int
	Stop   Stop
}

// A Stop is the limit that ended a run.
type Stop int

const (
	NotStopped    Stop = iota // the program ended by itself
	OutOfTime                 // it ran too long
	TooMuchOutput             // it printed too much
	TooDeep                   // its calls went deeper than an engine's stack
	NotReady                  // making it ready to run took too long
)

// What a verdict.Run's Stopped begins with, by the limit.
const (
	RanLonger   = "ran longer than"
	Printed     = "printed more than"
	Recursed    = "recursed too deep"
	NotReadyYet = "was not ready to run"
)

// Limits are those that a Stop is about.
type Limits struct {
	Time   time.Duration // that a program runs
	Output int           // bytes
	Ready  time.Duration // that making it ready takes
}

// Words says for a person which limit ended a run, as a verdict.Run's Stopped does, "" for NotStopped.
func (s Stop) Words(l Limits) string {
	switch s {
	case OutOfTime:
		return fmt.Sprintf(RanLonger+" %v and was stopped", l.Time)
	case TooMuchOutput:
		return fmt.Sprintf(Printed+" %d KiB and was stopped", l.Output>>10)
	case TooDeep:
		return Recursed + " and was stopped"
	case NotReady:
		return fmt.Sprintf(NotReadyYet+" after %v", l.Ready)
	}
	return ""
}

// TimeoutNote is what is said after what a program printed that ran for this limit and was stopped. It begins with what the
// playground says, which its clients know.
func TimeoutNote(limit time.Duration) string {
	return fmt.Sprintf("timeout running program after %v\n", limit)
}

// OverflowNote is what is said after what a program printed that went deeper than an engine's stack: Go's own words.
const OverflowNote = "fatal error: stack overflow\n"

// NotReadyNote is what is said of a program that was not ready to run after so long.
func NotReadyNote(limit time.Duration) string {
	return fmt.Sprintf("the program was not started: making it ready took longer than %v\n", limit)
}
