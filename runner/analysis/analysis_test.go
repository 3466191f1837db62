package analysis

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"onthestack/internal/execution"
	"onthestack/internal/exercise"
	"onthestack/internal/programs"
	"onthestack/runner/queue"
)

func TestMain(m *testing.M) {
	if slices.Equal(os.Args[1:], []string{Command}) {
		os.Exit(Main(os.Stdin, os.Stdout, os.Stderr))
	}
	os.Exit(m.Run())
}

// idle has means that build nothing, so that a test sees only what the process itself does.
type idle struct{ execution.TestProgram }

func (idle) build(src execution.Source) (*execution.Build, error) {
	return &execution.Build{Output: []byte("prog.go:1:1: nothing is built here\n"),
		Close: func() error { return nil }}, nil
}

func (i idle) Build(_ context.Context, src execution.Source) (*execution.Build, error) {
	return i.build(src)
}

func (i idle) BuildTest(_ context.Context, src execution.Source) (*execution.Build, error) {
	return i.build(src)
}

func (i idle) Report(context.Context, execution.Source) (*execution.Build, error) {
	return &execution.Build{OK: true, Close: func() error { return nil }}, nil
}

func (idle) HasHarness(execution.Source) bool { return true }

func (idle) Vet(context.Context, programs.Plan) (string, error) { return "", nil }

func (idle) RunProgram(context.Context, string, ...string) (*execution.Result, error) {
	return nil, errors.New("nothing was built")
}

func (idle) Record(context.Context, string) (*execution.Recording, error) {
	return nil, errors.New("nothing was built")
}

func (idle) Load(context.Context, string) (execution.TestProgram, error) {
	return nil, errors.New("nothing was built")
}

func (idle) Tell(queue.Event) {}

// limits are so low that a test need not wait long for them.
var limits = Limits{Memory: 1 << 30, CPU: time.Second, Messages: 16 << 20}

// question returns a question about declarations: as a program with a file that a build constraint leaves out, or as a
// solution.
func question(t testing.TB, kind, declarations string) Question {
	q := Question{Kind: kind, Language: "1.26", Engine: "wasm", WithVet: true}
	if kind == Check {
		catalog, err := exercise.Sealed()
		if err != nil {
			t.Fatal(err)
		}
		q.Exercise = catalog[0]
		q.Files = map[string][]byte{q.Exercise.Edit[0]: []byte("package " + q.Exercise.Package + "\n\n" + declarations)}
		return q
	}
	q.Body = []byte("package main\n\nfunc main() { println(1) }\n\n" + declarations +
		"-- left_out.go --\n//go:build never\n\npackage main\n\n" + declarations)
	return q
}

// ask asks a process, which answers or ends at a limit.
func ask(t testing.TB, q Question) {
	t.Helper()
	a, err := Ask(t.Context(), limits, q, idle{})
	var failed *Failure
	switch {
	case errors.As(err, &failed):
		if failed.Stop.Kind == execution.NotStopped {
			t.Errorf("the process crashed: %s", failed.Log)
		}
		text, err := json.Marshal(q.Refused(failed.Error()))
		if err != nil || !strings.Contains(string(text), "make it smaller or simpler") {
			t.Errorf("the refusal is %s, %v", text, err)
		}
	case err != nil:
		t.Error(err)
	case !json.Valid(a.Body):
		t.Errorf("the answer is %q", a.Body)
	}
}

// severest are bombs for the time, the memory and the stack of the process, as files that are left out of a program.
var severest = []string{"two aliases that double", "texts that double", "parentheses"}

// TestBombs asks about each bomb as a solution, and about the severest as a program. The process answers or ends, and
// this one is as it was.
func TestBombs(t *testing.T) {
	testBombs(t, func(name string) []string {
		if slices.Contains(severest, name) {
			return []string{Check, Step}
		}
		return []string{Check}
	})
}

// TestProofBombs asks about each bomb as a program, in each way but Step, for which many bombs reach the limit of time.
func TestProofBombs(t *testing.T) {
	testBombs(t, func(string) []string { return []string{Compile, Vet, Escape} })
}

// TestNightlyBombs asks about each bomb as a program to step through.
func TestNightlyBombs(t *testing.T) { testBombs(t, func(string) []string { return []string{Step} }) }

func testBombs(t *testing.T, kinds func(name string) []string) {
	for name, declarations := range bombs {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			for _, kind := range kinds(name) {
				t.Run(kind[1:], func(t *testing.T) { ask(t, question(t, kind, declarations)) })
			}
		})
	}
}

// TestFailure tests what a client reads if a process reaches a limit or crashes.
func TestFailure(t *testing.T) {
	for _, kind := range []string{Check, Compile, Vet, Escape, Step} {
		q := question(t, kind, "")
		failed := &Failure{Stop: execution.Stop{Kind: execution.Memory, Bytes: 2 << 30}}
		text, err := json.Marshal(q.Refused(failed.Error()))
		if want := "parsing and type-checking the code needed more than 2048 MiB of memory and was stopped: " +
			"make it smaller or simpler"; err != nil || !strings.Contains(string(text), want) {
			t.Errorf("%s: %s, %v", kind, text, err)
		}
	}
}

// TestMeansFail tests that an error of the server ends the process and is returned as it is.
func TestMeansFail(t *testing.T) {
	broken := errors.New("the disk is full")
	_, err := Ask(t.Context(), limits, question(t, Compile, ""), brokenBuilder{idle{}, broken})
	if !errors.Is(err, broken) {
		t.Errorf("%v", err)
	}
	ctx, cancel := context.WithCancelCause(t.Context())
	cancel(broken)
	if _, err := Ask(ctx, limits, question(t, Compile, ""), idle{}); !errors.Is(err, broken) {
		t.Errorf("canceled: %v", err)
	}
}

// TestLate ends the time of a request while its process is busy.
func TestLate(t *testing.T) {
	defer func(d time.Duration) { lateDelay = d }(lateDelay)
	lateDelay = 0
	ctx, cancel := context.WithCancelCause(t.Context())
	cancel(execution.StopError{Stop: execution.Stop{Kind: execution.RequestTime, Time: 25 * time.Second}})
	q := question(t, Check, bombs["two aliases that double"])
	_, err := Ask(ctx, DefaultLimits(), q, idle{})
	var failed *Failure
	if !errors.As(err, &failed) || !strings.Contains(failed.Error(), "took longer than 25s and was stopped") {
		t.Errorf("%v", err)
	}
}

// TestEnviron tests that a process gets nothing of this process's environment but what it needs.
func TestEnviron(t *testing.T) {
	t.Setenv("RUNNER_SECRET", "x")
	for folder, want := range map[string]string{
		"":          "MALLOC_ARENA_MAX SYSTEMROOT",
		t.TempDir(): "MALLOC_ARENA_MAX SYSTEMROOT GO111MODULE GOFLAGS GOWORK GOENV GOTOOLCHAIN GOPATH TMPDIR PWD PATH GOROOT",
	} {
		env := Environ(folder)
		if env == nil { // would stand for the environment of this process
			t.Errorf("with folder %q: nil", folder)
		}
		for _, variable := range env {
			if name, _, _ := strings.Cut(variable, "="); !slices.Contains(strings.Fields(want), name) {
				t.Errorf("with folder %q: %s", folder, variable)
			}
		}
	}
}

type brokenBuilder struct {
	idle
	err error
}

func (b brokenBuilder) Build(context.Context, execution.Source) (*execution.Build, error) {
	return nil, b.err
}

// BenchmarkAsk starts a process for each check, whose solution does not build.
func BenchmarkAsk(b *testing.B) {
	q := question(b, Check, "")
	q.Files = q.Exercise.Starter()
	for b.Loop() {
		if _, err := Ask(b.Context(), DefaultLimits(), q, idle{}); err != nil {
			b.Fatal(err)
		}
	}
}

// FuzzAsk sends programs and solutions. Its seeds also run as tests, so they are small: TestBombs has the bombs.
func FuzzAsk(f *testing.F) {
	f.Add("func f[T any](x T) []T { return []T{x} }\n\nvar x = f(1)\n")
	f.Add("type t struct{ *t }\n\nconst c = len(\"x\" + \"y\")\n")
	f.Fuzz(func(t *testing.T, declarations string) {
		for _, kind := range []string{Check, Step} {
			ask(t, question(t, kind, declarations))
		}
	})
}
