package watch

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"golang.org/x/tools/txtar"

	"onthestack/internal/advice"
	"onthestack/internal/build"
	"onthestack/internal/exercise"
	"onthestack/internal/sandbox"
	"onthestack/internal/verdict"
	"onthestack/internal/workspace"
)

// catalog returns a workbook of two small exercises, made from the template for new ones.
func catalog() (exercise.Catalog, error) {
	template, err := os.ReadFile(filepath.Join("..", "author", "new.txtar"))
	if err != nil {
		return nil, err
	}
	var all exercise.Catalog
	for _, id := range []string{"exercise6", "exercise7"} {
		files, solution := map[string][]byte{}, map[string][]byte{}
		for _, f := range txtar.Parse([]byte(strings.ReplaceAll(string(template), "NAME", id))).Files {
			if name, ok := strings.CutPrefix(f.Name, "solutions/"+id+"/"); ok {
				solution[name] = f.Data
			} else {
				files[strings.TrimPrefix(f.Name, "exercises/"+id+"/")] = f.Data
			}
		}
		manifest := files[exercise.ManifestFile]
		delete(files, exercise.ManifestFile)
		e, err := exercise.New(id, manifest, files, solution)
		if err != nil {
			return nil, err
		}
		e.Figures = &exercise.Figures{Starter: []exercise.Figure{{Name: "BenchmarkSum", AllocsPerOp: 4,
			BytesPerOp: 26}}}
		all = append(all, e)
	}
	return all, nil
}

// A shop is a workspace with the fixture's exercises and the real checker.
type shop struct{ *Workbook }

func newShop(dir string) (*shop, error) {
	all, err := catalog()
	if err != nil {
		return nil, err
	}
	ws, err := workspace.Init(dir, all)
	if err != nil {
		return nil, err
	}
	checker := verdict.Checker{Builder: builder(), Runner: sandbox.Native{Limits: sandbox.CheckLimits()}, Advise: advice.Of}
	return &shop{&Workbook{
		Workspace: ws, Catalog: all, Command: "checkalloc",
		Busy: func() string { return "a test that does not end is stopped after 20s" },
		Check: func(ctx context.Context, e *exercise.Exercise, files map[string][]byte,
			stage func(string)) (*verdict.Verdict, error) {
			c := checker
			c.Stage = stage
			return c.Check(ctx, e, files)
		},
		Report: func(*exercise.Exercise, *verdict.Verdict, map[string][]byte, workspace.State) error { return nil },
	}}, nil
}

// builder returns the toolchain, which asks the go command for its settings once.
var builder = sync.OnceValue(func() *build.Toolchain { return build.New(build.DefaultLimits()) })

// half is a solution that allocates less than the starter and more than the sealed solution.
const half = `package sum

import "strconv"

func Digits(numbers []int) int {
	buf := make([]byte, 0, 40+len(numbers))
	sum := 0
	for _, n := range numbers {
		for _, digit := range strconv.AppendInt(buf[:0], int64(n), 10) {
			sum += int(digit - '0')
		}
	}
	return sum
}
`

// save writes the file of e that a learner edits.
func (s *shop) save(t *testing.T, e *exercise.Exercise, text string) {
	t.Helper()
	if err := os.WriteFile(filepath.Join(s.Dir(e), "sum.go"), []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
}
