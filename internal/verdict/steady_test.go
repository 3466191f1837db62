package verdict_test

import (
	"encoding/json"
	"flag"
	"runtime"
	"slices"
	"sync"
	"testing"

	"github.com/tetratelabs/wazero"

	"onthestack/internal/build"
	"onthestack/internal/sandbox"
	"onthestack/internal/verdict"
)

var soak = flag.Int("soak", 0, "check each starter and solution in TestNightlySteady `N` times, also under WebAssembly; "+
	"0 for a few of them, 5 times")

// runsPerBuild is how many checks of a soak use the same build.
const runsPerBuild = 50

// TestNightlySteady checks starters and solutions repeatedly while all processors are busy. The same input must have the
// same verdict each time. "make soak" runs it with all exercises.
func TestNightlySteady(t *testing.T) {
	stop := make(chan struct{})
	var burning sync.WaitGroup
	for range runtime.NumCPU() {
		burning.Go(func() {
			for x := 1; ; x = x*3 + 1 {
				select {
				case <-stop:
					return
				default:
				}
			}
		})
	}
	defer burning.Wait()
	defer close(stop)
	runs, engines := 5, []string{"native"}
	if *soak > 0 {
		runs, engines = *soak, []string{"native", "wasm"}
	}
	chapter := ""
	for _, e := range sealed(t) {
		if e.Chapter == chapter && *soak == 0 {
			continue // one of each
		}
		chapter = e.Chapter
		for what, files := range map[string]map[string][]byte{"starter": e.Starter(), "solution": e.Solution} {
			for _, engine := range engines {
				t.Run(e.ID+"/"+what+"/"+engine, func(t *testing.T) {
					c := native()
					if engine == "wasm" {
						// Compiling takes more than half of a check, and is deterministic.
						compiled := wazero.NewCompilationCache()
						defer compiled.Close(t.Context())
						c.Builder = build.NewWasm(build.DefaultLimits())
						c.Runner = sandbox.Wasm{Limits: patientLimits(), Compiled: compiled}
					}
					source, first := cachedBuild{builder: c.Builder}, ""
					defer func() { source.close() }()
					c.Builder = &source
					for i := range runs {
						if i > 0 && i%runsPerBuild == 0 {
							source.close()
							source.build = nil
						}
						v, err := c.Check(t.Context(), e, files)
						if err != nil {
							t.Fatal(err)
						}
						if v.Pass != (what == "solution" || e.Leave) || !v.Pass && v.Stage != verdict.StageBenchmark {
							t.Fatalf("time %d: pass %v, stage %q\n%s", i+1, v.Pass, v.Stage, v.Tests.Output)
						}
						if now := withoutTimes(t, v); i == 0 {
							first = now
						} else if now != first {
							t.Fatalf("time %d:\n%s\nbefore:\n%s", i+1, now, first)
						}
					}
				})
			}
		}
	}
}

// withoutTimes returns the part of a verdict that has to be the same each time: everything but the times and the live
// bytes.
func withoutTimes(t *testing.T, v *verdict.Verdict) string {
	t.Helper()
	same := *v
	same.Benchmarks = slices.Clone(v.Benchmarks)
	for i := range same.Benchmarks {
		same.Benchmarks[i].NsPerOp, same.Benchmarks[i].LiveBytesPerOp = 0, nil
	}
	text, err := json.Marshal(same)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}
