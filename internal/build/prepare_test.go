package build_test

import (
	"context"
	"encoding/json"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"onthestack/internal/build"
	"onthestack/internal/execution"
	"onthestack/internal/exercise"
	"onthestack/internal/sandbox"
	"onthestack/internal/verdict"
)

// A counted builder counts the builds without the go command.
type counted struct {
	*build.Toolchain
	direct *int
}

func (c counted) BuildTest(ctx context.Context, src execution.Source) (*execution.Build, error) {
	if build.PreparedTest(c.Toolchain, src) {
		*c.direct++
	}
	return c.Toolchain.BuildTest(ctx, src)
}

// TestPreparedTests proves that the verdict on an exercise is the same whether its test binary was built with the go
// command or without, also for code that only the go command can build.
func TestPreparedTests(t *testing.T) {
	t.Setenv("TMPDIR", t.TempDir())
	catalog, err := exercise.Sealed()
	if err != nil {
		t.Fatal(err)
	}
	tools := build.New(build.DefaultLimits())
	p := build.New(build.DefaultLimits())
	if err := p.Prepare(t.Context(), catalog[0].Dependencies()...); err != nil {
		t.Fatal(err)
	}
	e := catalog[0]
	changed := func(text string) map[string][]byte {
		files := maps.Clone(e.Starter())
		files[e.Edit[0]] = append(slices.Clip(files[e.Edit[0]]), text...)
		return files
	}
	native := sandbox.Native{Limits: sandbox.CheckLimits()}
	for _, c := range []struct {
		name   string
		files  map[string][]byte
		direct bool
	}{
		{"starter", e.Starter(), true},
		{"solution", e.Solution, true},
		{"does not build", changed("\nfunc wrong() int { return \"\" }\n"), true},
		{"does not parse", changed("\n}\n"), true},
		{"unfit for its tests", map[string][]byte{e.Edit[0]: []byte("package " + e.Package + "\n")}, true},
		{"other", changed("\n//go:debug panicnil=1\n"), false},
	} {
		t.Run(c.name, func(t *testing.T) {
			var said []string
			direct := 0
			for _, b := range []verdict.Builder{tools, counted{p, &direct}} {
				v, err := verdict.Checker{Builder: b, Runner: native}.Check(t.Context(), e, c.files)
				if err != nil {
					t.Fatal(err)
				}
				text, err := json.MarshalIndent(v, "", "\t")
				if err != nil {
					t.Fatal(err)
				}
				said = append(said, timings.ReplaceAllString(string(text), ""))
			}
			if said[0] != said[1] {
				t.Errorf("by the go command %s\nwithout %s", said[0], said[1])
			}
			if c.direct != (direct == 1) {
				t.Errorf("built without the go command: %d, want %v", direct, c.direct)
			}
		})
	}

	build.LoseArchive(p)
	direct := 0
	if v, err := (verdict.Checker{Builder: counted{p, &direct}, Runner: native}).Check(t.Context(), e,
		e.Solution); err != nil ||
		!v.Pass ||
		direct > 0 {
		t.Errorf("without one of the archives: %+v, %v, %d", v, err, direct)
	}
	if err := p.Close(); err != nil {
		t.Error(err)
	}
	if left, err := filepath.Glob(filepath.Join(os.Getenv("TMPDIR"), "checkalloc-*")); err != nil || len(left) > 0 {
		t.Errorf("left are %v, %v", left, err)
	}
}

// BenchmarkPrepared times the build of a check with the go command and without.
func BenchmarkPrepared(b *testing.B) {
	catalog, err := exercise.Sealed()
	if err != nil {
		b.Fatal(err)
	}
	tools := build.New(build.DefaultLimits())
	p := build.New(build.DefaultLimits())
	if err := p.Prepare(b.Context(), catalog[0].Dependencies()...); err != nil {
		b.Fatal(err)
	}
	defer p.Close()
	e := catalog[0]
	for name, builder := range map[string]verdict.Builder{"go": tools, "prepared": p} {
		b.Run(name, func(b *testing.B) {
			n := 0
			for b.Loop() {
				n++
				files := map[string][]byte{
					e.Edit[0]: append(
						slices.Clip(e.Solution[e.Edit[0]]),
						[]byte("\nconst edit"+string(rune('a'+n%26))+name+" = 1\n")...),
				}
				if _, err := (verdict.Checker{Builder: builder, Runner: idle{}}).Check(b.Context(), e,
					files); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
