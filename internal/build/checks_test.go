package build_test

import (
	"context"
	"encoding/json"
	"regexp"
	"testing"
	"time"

	"onthestack/internal/build"
	"onthestack/internal/execution"
	"onthestack/internal/exercise"
	"onthestack/internal/sandbox"
	"onthestack/internal/verdict"
)

// timings matches what differs between any two measurements.
var timings = regexp.MustCompile(`"ns_per_op":[^,]*`)

// A compared builder proves whether an Isolated builds without the go command.
type compared struct {
	*build.Isolated
	*testing.T
	direct bool
}

func (c compared) BuildTest(ctx context.Context, src execution.Source) (*execution.Build, error) {
	if build.PlansTest(c.Isolated, src) != c.direct {
		c.Errorf("directly: %v, want %v", !c.direct, c.direct)
	}
	return c.Isolated.BuildTest(ctx, src)
}

// An idle runner runs nothing. A verdict has the compiler's diagnostics all the same.
type idle struct{ sandbox.Wasm }

func (i idle) Load(context.Context, string) (execution.TestProgram, error) { return i, nil }

func (idle) Run(context.Context, string) (*execution.TestRun, error) {
	return &execution.TestRun{Exit: 1}, nil
}

func (idle) Close() error { return nil }

// TestNightlyVerdicts proves that the verdict on an exercise is the same whether its test binary was built with the go
// command or without.
func TestNightlyVerdicts(t *testing.T) {
	d, c := both(t)
	catalog, err := exercise.Sealed()
	if err != nil {
		t.Fatal(err)
	}
	wasm := sandbox.Wasm{Limits: sandbox.Limits{Time: time.Minute, Memory: 256 << 20, Output: 1 << 20,
		Ready: 10 * time.Minute}}
	for i, e := range catalog[:2] {
		wrong := map[string][]byte{}
		for _, name := range e.Edit {
			wrong[name] = append(append([]byte(nil), e.Starter()[name]...), "\nfunc wrong() int { return \"\" }\n"...)
		}
		unfit := map[string][]byte{}
		for _, name := range e.Edit {
			unfit[name] = []byte("package " + e.Package + "\n")
		}
		for name, files := range map[string]map[string][]byte{"starter": e.Starter(), "solution": e.Solution,
			"wrong": wrong, "unfit for its tests": unfit} {
			t.Run(e.ID+"/"+name, func(t *testing.T) {
				t.Parallel()
				checker := verdict.Checker{Runner: idle{}}
				if i == 0 && name == "starter" {
					checker.Runner = wasm // one, for it takes seconds
				}
				var verdicts [2]string
				for i, builder := range []compared{{d, t, true}, {c, t, false}} {
					checker.Builder = builder
					v, err := checker.Check(t.Context(), e, files)
					if err != nil {
						t.Fatal(err)
					}
					text, err := json.Marshal(v)
					if err != nil {
						t.Fatal(err)
					}
					verdicts[i] = timings.ReplaceAllString(string(text), "")
				}
				if verdicts[0] != verdicts[1] {
					t.Errorf("directly\n%s\nby the go command\n%s", verdicts[0], verdicts[1])
				}
			})
		}
	}
}

// BenchmarkTest builds the test binary of an exercise, which is different in each iteration.
func BenchmarkTest(b *testing.B) {
	d, c := both(b)
	catalog, err := exercise.Sealed()
	if err != nil {
		b.Fatal(err)
	}
	e := catalog[0]
	for _, way := range []struct {
		name  string
		tools *build.Isolated
	}{{"direct", d}, {"command", c}} {
		b.Run(way.name, func(b *testing.B) {
			for b.Loop() {
				files := map[string][]byte{}
				for name, text := range e.Starter() {
					files[name] = append([]byte(nil), text...)
					files[name] = append(files[name], "\n// "+time.Now().String()+"\n"...)
				}
				v, err := verdict.Checker{Builder: way.tools, Runner: idle{}}.Check(b.Context(), e, files)
				if err != nil || v.Stage != verdict.StageTests {
					b.Fatal(err, v)
				}
			}
		})
	}
}
