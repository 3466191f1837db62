//go:build unix

package build

import (
	"os"
	"testing"
	"time"

	"onthestack/internal/execution"
)

// TestKilled proves that a tool that the system killed is distinguished from a tool that failed. When memory runs out,
// the system kills the compiler, which the go command reports, or the go command itself.
func TestKilled(t *testing.T) {
	limits := Limits{Time: time.Minute, Output: 1 << 20, ProcessLimits: execution.ProcessLimits{CPU: time.Minute}}
	for _, c := range []struct {
		script string
		killed bool
	}{
		{"kill -9 $$", true},
		{"echo 'go build play: /compile: signal: killed'; exit 1", true},
		{"echo './prog.go:3:4: undefined: \"signal: killed'; exit 1", false},
		{"exit 1", false},
	} {
		ctx, cancel := limits.WithTimeout(t.Context())
		defer cancel()
		o, err := limits.run(ctx, t.TempDir(), os.Environ(), "sh", "-c", c.script)
		if err != nil || o.OK || (o.Stop.Kind == execution.Killed) != c.killed {
			t.Errorf("%s: %+v, %v", c.script, o, err)
		}
	}
}
