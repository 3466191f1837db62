package verdict_test

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"onthestack/internal/build"
	"onthestack/internal/exercise"
	"onthestack/internal/resultcache"
	"onthestack/internal/verdict"
)

// TestProofAgreement checks that all engines give the same verdict on every exercise of the sample.
func TestProofAgreement(t *testing.T) {
	var catalog exercise.Catalog
	for _, e := range sealed(t) {
		if sampled(e.ID) {
			catalog = append(catalog, e)
		}
	}
	testAgreement(t, catalog, quick(t), server(t), confined(t))
}

// sampled is whether an exercise belongs to the sample that the Makefile has chosen. Without one, each does.
func sampled(id string) bool {
	sample, ok := os.LookupEnv("SAMPLE")
	return !ok || slices.Contains(strings.Fields(sample), id)
}

// TestConfinedAgrees checks that a confined program gets the verdict of one that is not, on two exercises.
func TestConfinedAgrees(t *testing.T) {
	testAgreement(t, sealed(t)[:2], quick(t), confined(t))
}

func testAgreement(t *testing.T, catalog exercise.Catalog, checkers ...verdict.Checker) {
	store, release := resultCache(t), installedRelease(t)
	for _, e := range catalog {
		for what, files := range map[string]map[string][]byte{"starter": e.Starter(), "solution": e.Solution} {
			t.Run(e.ID+"/"+what, func(t *testing.T) {
				limitBuilds(t)
				var first string
				for i, c := range checkers {
					v, err := resultcache.Checker{Checker: c, Cache: store, Go: release}.Check(t.Context(), e, files)
					if err != nil {
						t.Fatal(err)
					}
					if v.Pass != (what == "solution" || e.Leave) || !v.Pass && v.Stage != verdict.StageBenchmark {
						t.Errorf("%s: pass %v at stage %q\n%s", v.Engine, v.Pass, v.Stage, v.Tests.Output)
					}
					live := slices.ContainsFunc(v.Benchmarks, verdict.Benchmark.MissesLive)
					if !v.Pass && !live && len(v.Allocations) == 0 {
						t.Errorf("%s: no line allocates", v.Engine)
					}
					told := outline(v)
					if i == 0 {
						first = told
					}
					if told != first {
						t.Errorf("%s:\n%s\n%s:\n%s", checkers[0].Runner.Engine(), first, v.Engine, told)
					}
				}
			})
		}
	}
}

// resultCache is the cache of verdicts that tests of other packages use as well.
func resultCache(t *testing.T) *resultcache.Cache {
	t.Helper()
	root := filepath.Join("..", "..")
	// The folder is the Makefile's, on each system.
	cache := os.Getenv("XDG_CACHE_HOME")
	if cache == "" {
		home, err := os.UserHomeDir()
		if err != nil {
			t.Fatal(err)
		}
		cache = filepath.Join(home, ".cache")
	}
	store, err := resultcache.Open(filepath.Join(cache, "onthestack", "results"), root, resultcache.VerdictCode()...)
	if err != nil {
		t.Fatal(err)
	}
	return store
}

func installedRelease(t *testing.T) string {
	t.Helper()
	release, err := build.New(build.DefaultLimits()).Version()
	if err != nil {
		t.Fatal(err)
	}
	return release
}

// outline formats the parts of a verdict that both engines have to agree on.
func outline(v *verdict.Verdict) string {
	var b strings.Builder
	fmt.Fprintf(&b, "pass %v, stage %q, tests %+v\n", v.Pass, v.Stage, v.Tests)
	for _, m := range v.Benchmarks {
		fmt.Fprintf(&b, "%s %v allocs/op %v B/op\n", m.Name, m.AllocsPerOp, m.BytesPerOp)
	}
	for _, a := range v.Allocations {
		fmt.Fprintf(&b, "%s:%d %s: %v allocs/op %v B/op, %s\n", a.File, a.Line, a.Code, a.AllocsPerOp,
			a.BytesPerOp, a.Why)
		for _, r := range a.Reasons {
			fmt.Fprintf(&b, "\t%d:%d %s (%s)\n", r.Line, r.Col, r.Message, r.Why)
			for _, s := range r.Flow {
				fmt.Fprintf(&b, "\t\t%s:%d:%d %s\n", s.File, s.Line, s.Col, s.Message)
			}
		}
	}
	return b.String()
}
