package resultcache_test

import (
	"context"
	"encoding/json"
	"path/filepath"
	"testing"

	"onthestack/internal/build"
	"onthestack/internal/execution"
	"onthestack/internal/exercise"
	"onthestack/internal/resultcache"
	"onthestack/internal/sandbox"
	"onthestack/internal/verdict"
)

// A counting builder counts what it builds.
type counting struct {
	verdict.Builder
	built int
}

func (c *counting) BuildTest(ctx context.Context, src execution.Source) (*execution.Build, error) {
	c.built++
	return c.Builder.BuildTest(ctx, src)
}

// TestChecker proves that the complete verdict on a solution is cached, and that a verdict of failed tests is not
// unless it is expected.
func TestChecker(t *testing.T) {
	catalog, err := exercise.Sealed()
	if err != nil {
		t.Fatal(err)
	}
	e := catalog.Lookup("exercise6")
	dir, root := t.TempDir(), filepath.Join("..", "..")
	builder := &counting{Builder: build.New(build.DefaultLimits())}
	check := func(files map[string][]byte, fails string) string {
		t.Helper()
		store, err := resultcache.Open(dir, root, resultcache.VerdictCode()...)
		if err != nil {
			t.Fatal(err)
		}
		c := resultcache.Checker{
			Checker: verdict.Checker{Builder: builder, Runner: sandbox.Native{Limits: sandbox.CheckLimits()}},
			Cache:   store, Go: "go", Fails: fails,
		}
		v, err := c.Check(t.Context(), e, files)
		if err != nil {
			t.Fatal(err)
		}
		text, err := json.Marshal(v)
		if err != nil {
			t.Fatal(err)
		}
		return string(text)
	}
	wrong := map[string][]byte{e.Edit[0]: []byte("package stream\n\nimport \"bytes\"\n\n" +
		"func Replace(data, find, repl []byte, output *bytes.Buffer) {}\n")}
	for _, c := range []struct {
		name  string
		files map[string][]byte
		fails string
		built int // in two checks
		same  bool
	}{
		{"passes", e.Solution, "", 1, true},
		{"misses", e.Starter(), "", 1, true},
		{"fails", wrong, "", 2, false},
		{"fails otherwise than expected", wrong, verdict.StageBuild, 2, false},
		{"fails as expected", wrong, verdict.StageTests, 1, true},
	} {
		builder.built = 0
		first, second := check(c.files, c.fails), check(c.files, c.fails)
		if builder.built != c.built || c.same && first != second {
			t.Errorf("%s: built %d times, want %d\n%s\n%s", c.name, builder.built, c.built, first, second)
		}
	}
}
