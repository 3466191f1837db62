package step_test

import (
	"context"
	"reflect"
	"sync/atomic"
	"testing"
	"time"

	"onthestack/internal/execution"
	"onthestack/internal/step"
)

// A counted Recorder counts the runs that have ended.
type counted struct {
	step.Recorder
	ended atomic.Int32
}

// Record implements step.Recorder.
func (c *counted) Record(ctx context.Context, binary string) (*execution.Recording, error) {
	defer c.ended.Add(1)
	return c.Recorder.Record(ctx, binary)
}

// Of this program's objects, the compiler's report alone decides the place of n and of sum. The box of the interface
// and the array of the slice, whose size is not known to the compiler, are on the heap as far as they are counted
// there.
const stagesProgram = header + `import "fmt"

//go:noinline
func number() *int {
	n := 1000
	return &n
}

func main() {
	sum := *number()
	list := make([]int, 0, 2)
	for i := range 5 {
		list = append(list, sum+i)
	}
	fmt.Println(list, sum)
}
`

// TestStages gets the picture of a program before its allocations are counted. It has the same frames and values as the
// complete document, which is the same as without a picture.
func TestStages(t *testing.T) {
	s := stepper(t, time.Minute)
	want := stepsOf(t, s, stagesProgram)
	runs := &counted{Recorder: s.Recorder}
	s.Recorder = runs
	var pictures []*step.Document
	s.Picture = func(d *step.Document) {
		pictures = append(pictures, d)
		if n := runs.ended.Load(); n != 1 {
			t.Errorf("%d runs have ended before the picture", n)
		}
	}
	got := stepsOf(t, s, stagesProgram)
	if !reflect.DeepEqual(got, want) {
		t.Error("the complete document differs from the one that was made without a picture")
	}
	if len(pictures) != 1 {
		t.Fatalf("%d pictures", len(pictures))
	}
	picture := pictures[0]
	valid(t, picture)
	if !picture.Pending || picture.Unmeasured != "" || len(picture.Lines) > 0 || got.Pending {
		t.Errorf("the picture: pending %v, unmeasured %q, lines %v; the document: pending %v", picture.Pending,
			picture.Unmeasured, picture.Lines, got.Pending)
	}
	if !reflect.DeepEqual(picture.Functions, got.Functions) || picture.End != got.End ||
		len(picture.Steps) != len(got.Steps) {
		t.Fatal("the picture has other functions, another end or another number of steps")
	}
	for i, s := range picture.Steps {
		if now := got.Steps[i]; s.Line != now.Line || s.Event != now.Event || s.Output != now.Output {
			t.Errorf("step %d is %s at line %d, later %s at line %d", i, s.Event, s.Line, now.Event, now.Line)
		}
	}
	n := at(t, picture, 7, step.Executed)
	if len(n.Heap) != 1 || n.Heap[0].Name != "n" || n.Allocs != 1 {
		t.Errorf("the compiler reports that n is moved to the heap, but the picture has\n%s",
			describe(picture, n))
	}
}

// TestStagesMistake does not call Picture for a program that does not build.
func TestStagesMistake(t *testing.T) {
	s := stepper(t, time.Minute)
	s.Picture = func(*step.Document) { t.Error("there is a picture") }
	if d, err := s.Steps(t.Context(), header+"func main() { x() }\n"); err != nil || d.Errors == "" {
		t.Error(err, d)
	}
}
