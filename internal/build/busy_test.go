package build

import (
	"os"
	"sync/atomic"
	"testing"

	"onthestack/internal/gocommand"
)

// TestCompileLog proves that a compileLog notes that packages are compiled, and nothing if the build cache has them.
func TestCompileLog(t *testing.T) {
	for text, want := range map[string]bool{
		"internal/abi\n": true,
		"go: downloading go1.26.8 (linux/amd64)\n":     false,
		"# onthestack\n./main.go:3:8: no such package": false,
	} {
		var begun atomic.Bool
		if (compileLog{&begun}).Write([]byte(text)); begun.Load() != want {
			t.Errorf("%q: %v", text, begun.Load())
		}
	}
	o := gocommand.Options{Dir: t.TempDir(), Env: append(os.Environ(), "GOCACHE="+t.TempDir(), "GOFLAGS=")}
	for _, want := range []bool{true, false} {
		var begun atomic.Bool
		o.Log = compileLog{&begun}
		if _, err := gocommand.Run(t.Context(), o, "list", "-export", "-v", "unicode/utf8"); err != nil {
			t.Fatal(err)
		}
		if begun.Load() != want {
			t.Errorf("compiling: %v, want %v", begun.Load(), want)
		}
	}
}

// TestBusy proves which of the things under way is named.
func TestBusy(t *testing.T) {
	tools := New(DefaultLimits())
	if got := tools.Busy(); got != "" {
		t.Errorf("idle: %q", got)
	}
	tools.building.Add(1)
	if got := tools.Busy(); got != "building with the go command, which takes longest the first time" {
		t.Errorf("building: %q", got)
	}
	tools.compiling.Store(true)
	if got := tools.Busy(); got != "compiling the standard library, as the first check on a machine has to" {
		t.Errorf("compiling: %q", got)
	}
}
