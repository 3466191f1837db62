package programs

import (
	"strings"
	"testing"
	"time"

	"onthestack/internal/execution"
)

// The part of too much output that is shown is bounded in bytes and in events, and the events of the run are not
// changed.
func TestBeginning(t *testing.T) {
	many := make([]execution.Event, 2*shownEvents)
	for i := range many {
		many[i] = execution.Event{Message: "x", Kind: execution.Stdout, Delay: time.Second}
	}
	if got := beginning(many); len(got) != shownEvents {
		t.Errorf("input %d events\n  got  %d\n  want %d", len(many), len(got), shownEvents)
	}
	// A rune of two bytes stands across the bound.
	long := []execution.Event{{Message: "begin\n"}, {Message: strings.Repeat("é", shownBytes)}, {Message: "end"}}
	got := beginning(long)
	if n := len(got[0].Message) + len(got[1].Message); len(got) != 2 || n > shownBytes || n < shownBytes-1 ||
		strings.ToValidUTF8(got[1].Message, "") != got[1].Message {
		t.Errorf("input three events\n  got  %d with %d bytes\n  want 2 with %d", len(got), n, shownBytes)
	}
	if len(long[1].Message) != 2*shownBytes {
		t.Error("the run's own events were cut")
	}
	if got := beginning(nil); got != nil {
		t.Errorf("input none\n  got  %v", got)
	}
}
