package verdict_test

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"onthestack/internal/exercise"
	"onthestack/internal/toolchain"
	"onthestack/internal/verdict"
)

// A wrongSolution is a file in testdata/wrong/exerciseN: an exercise's file, changed so that it allocates as little as it should, and
// wrong. Its first line says what is wrong with it.
type wrongSolution struct {
	name     string
	want     string // the stage that finds it
	only     string // the engine that finds it, "" for both
	exercise *exercise.Exercise
	source   []byte
}

var wrongSetting = regexp.MustCompile(`(?m)^// (want|only): (\w+)$`)

func readWrongSolutions(t *testing.T) []wrongSolution {
	t.Helper()
	names, err := filepath.Glob(filepath.Join("testdata", "wrong", "exercise*", "*.go"))
	if err != nil || len(names) == 0 {
		t.Fatalf("no file in testdata/wrong (%v)", err)
	}
	catalog := sealed(t)
	var all []wrongSolution
	for _, name := range names {
		source, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		id := filepath.Base(filepath.Dir(name))
		s := wrongSolution{
			name:     id + "/" + strings.TrimSuffix(filepath.Base(name), ".go"),
			want:     verdict.StageTests,
			exercise: catalog.Lookup(id),
			source:   source,
		}
		if s.exercise == nil {
			t.Fatalf("%s: no exercise %s", name, id)
		}
		for _, m := range wrongSetting.FindAllSubmatch(source, -1) {
			if string(m[1]) == "want" {
				s.want = string(m[2])
			} else {
				s.only = string(m[2])
			}
		}
		all = append(all, s)
	}
	return all
}

// TestProofWrongSolutions proves that no wrong solution passes, on either engine. A race that only the race detector sees is found
// natively only, which the file says.
func TestProofWrongSolutions(t *testing.T) {
	all := readWrongSolutions(t)
	detecting := quick(t)
	detecting.Racer = toolchain.New(toolchain.DefaultLimits())
	for _, c := range []verdict.Checker{detecting, wasm()} {
		engine := c.Runner.Engine()
		for _, s := range all {
			if s.only != "" && s.only != engine {
				continue
			}
			t.Run(s.name+"/"+engine, func(t *testing.T) {
				limitBuilds(t)
				v, err := c.Check(t.Context(), s.exercise, map[string][]byte{s.exercise.Edit[0]: s.source})
				if err != nil {
					t.Fatal(err)
				}
				if v.Pass || v.Stage != s.want {
					t.Errorf("pass %v at stage %q, want stage %q\n%v\n%s\n%+v", v.Pass, v.Stage, s.want, v.Errors, v.Tests.Output, v.Benchmarks)
				}
			})
		}
	}
}
