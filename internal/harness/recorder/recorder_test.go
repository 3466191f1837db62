package recorder

import (
	"testing"

	"onthestack/internal/harness/wire"
)

// TestMessages checks that a snapshot of values of each kind is sent and stays small, on this platform too.
func TestMessages(t *testing.T) {
	var sent [][]byte
	Sent = func(p []byte) { sent = append(sent, append([]byte(nil), p...)) }
	type node struct {
		next *node
		any  any
		text string
	}
	n := &node{any: 5, text: "x"}
	n.next = n
	m := map[string][]*node{"a": {n, nil}}
	f := Closure(0, func() int { return len(m) }, &m)
	Main(&n)
	frame := Enter(0, 0)
	frame.Var(0, &m)
	frame.Var(1, &f)
	frame.Began()
	f()
	frame.At(1)
	frame.Exit(2)
	steps := 0
	for _, p := range sent {
		if p[0] == wire.MessageStep {
			steps++
		}
		if len(p) > 2000 {
			t.Errorf("a message of %d bytes", len(p))
		}
	}
	if steps != 3 || sent[len(sent)-1][1] != wire.EventEnded {
		t.Errorf("%d steps in %q", steps, sent)
	}
	if len(goroutines) != 0 {
		t.Errorf("%d goroutines are left", len(goroutines))
	}
}
