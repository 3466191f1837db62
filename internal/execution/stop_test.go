package execution

import (
	"strings"
	"testing"
	"time"
)

func TestStop(t *testing.T) {
	for _, c := range []struct {
		stop Stop
		want string
	}{
		{Stop{}, ""},
		{Stop{Kind: BuildTime, Time: 30 * time.Second}, "took longer than 30s and was stopped"},
		{Stop{Kind: Output, Bytes: 64 << 10}, "printed more than 64 KiB and was stopped"},
		{Stop{Kind: Output, Bytes: 1 << 20}, "printed more than 1 MiB and was stopped"},
		{Stop{Kind: Memory, Bytes: 2 << 30}, "needed more than 2048 MiB of memory and was stopped"},
		{Stop{Kind: LoadTime, Time: 20 * time.Second}, "was not ready to run after 20s"},
	} {
		if got := c.stop.String(); got != c.want {
			t.Errorf("%+v: got %q, want %q", c.stop, got, c.want)
		}
	}
	// A limit that does not depend on the machine's load ends the same build or run every time.
	for kind, transient := range map[Kind]bool{NotStopped: false, BuildTime: true, Output: false, StackDepth: false,
		LoadTime: true, Killed: true} {
		if kind.Transient() != transient {
			t.Errorf("kind %d: transient %v, want %v", kind, !transient, transient)
		}
	}
	// Every kind has its own words.
	words := map[string]Kind{}
	for kind := NotStopped; kind <= Killed; kind++ {
		text := Stop{Kind: kind}.String()
		if other, ok := words[text]; ok || strings.Contains(text, "stopped by limit") {
			t.Errorf("kind %d: %q, as kind %d", kind, text, other)
		}
		words[text] = kind
	}
}
