package step_test

import (
	"context"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"onthestack/internal/build"
	"onthestack/internal/programs"
	"onthestack/internal/sandbox"
	"onthestack/internal/step"
)

// tools returns the toolchain of all tests, in the folder of package build's tests: on a new machine the standard
// library is compiled once for both.
var tools = sync.OnceValues(func() (*build.Isolated, error) {
	return build.OpenCached(context.Background(), build.DefaultLimits(), build.IsolatedOptions{}, "fmt")
})

func TestMain(m *testing.M) {
	code := m.Run()
	if t, _ := tools(); t != nil {
		t.Close()
	}
	os.Exit(code)
}

// stepper returns a Stepper with a real toolchain and the sandbox, whose runs end after limit.
func stepper(t *testing.T, limit time.Duration) step.Stepper {
	t.Helper()
	isolated, err := tools()
	if err != nil {
		t.Fatal(err)
	}
	return step.Stepper{
		Compiler: programs.Compiler{
			Builder: isolated, GOOS: "wasip1", Language: strings.TrimPrefix(build.Oldest, "go"),
		},
		Recorder: sandbox.Wasm{Limits: sandbox.Limits{
			Time: limit, Memory: 256 << 20, Output: 64 << 10, Ready: 10 * time.Minute,
		}},
	}
}

// steps makes the steps of a program that builds.
func steps(t *testing.T, body string) *step.Document {
	t.Helper()
	return stepsOf(t, stepper(t, time.Minute), body)
}

func stepsOf(t *testing.T, s step.Stepper, body string) *step.Document {
	t.Helper()
	d, err := s.Steps(t.Context(), body)
	if err != nil {
		t.Fatal(err)
	}
	if d.Errors != "" {
		t.Fatalf("%s\n%s", d.Errors, body)
	}
	return d
}
