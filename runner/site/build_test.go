package site

import (
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"onthestack/internal/printable"
)

// TestReadSteps reads what make has printed of steps that ended in each way.
func TestReadSteps(t *testing.T) {
	var long strings.Builder
	for range 3000 {
		long.WriteString("c: another line\n")
	}
	output := "a= waiting 0 build a\nb= waiting 0 build b\nc= waiting 0 build c\nd= waiting 0 build d\n" +
		"e= waiting 0 build e\n" +
		"find: no such folder\na= running 100 \nb= running 101 \na: one: two\nb: missing\na= done 103 \n" +
		"b= failed 105 exit status 2\nc= running 105 \n" + long.String() + "c: end\nc= failed 105 exit status 1\n" +
		"d= running 106 \nd: under way\n"
	want := []Step{
		{Name: "a", Does: "build a", State: Done, Took: 3 * time.Second, Output: "one: two"},
		{Name: "b", Does: "build b", State: Failed, Took: 4 * time.Second, Output: "missing", Problem: "missing"},
		{Name: "c", Does: "build c", State: Failed},
		{Name: "d", Does: "build d", State: Running, Took: 9 * time.Second, Output: "under way"},
		{Name: "e", Does: "build e", State: Waiting},
	}
	compare := func(got, want Step) {
		t.Helper()
		got.began = time.Time{}
		if !reflect.DeepEqual(got, want) {
			t.Errorf("got %+v, want %+v", got, want)
		}
	}
	steps := readSteps(output, time.Unix(115, 0), false)
	if len(steps) != len(want) || steps.over() || len(steps.In(Failed)) != 2 {
		t.Fatalf("the steps are %+v", steps)
	}
	for i, step := range steps {
		if step.Name != "c" {
			compare(step, want[i])
		}
	}
	// The end of a long output is kept, in whole lines.
	if got := steps[2].Problem; len(got) > outputKept || !strings.HasPrefix(got, "another line\n") ||
		!strings.HasSuffix(got, "\nend") {
		t.Errorf("of a long output %d bytes are kept: %.40q…", len(got), got)
	}

	steps = readSteps(output, time.Unix(115, 0), true)
	if !steps.over() {
		t.Errorf("make has ended, and the steps are %+v", steps)
	}
	compare(steps[3], Step{Name: "d", Does: "build d", State: Failed, Output: "under way",
		Problem: "It was interrupted. The next start continues it."})
	compare(steps[4], Step{Name: "e", Does: "build e", State: Skipped, Problem: "It was interrupted."})

	steps = readSteps("a= waiting 0 build a\na= running 1 \na= failed 1 exit status 3\n", time.Now(), true)
	if steps[0].Problem != "exit status 3" {
		t.Errorf("a step without output failed with %q", steps[0].Problem)
	}
	const mistake = "make: *** No rule to make target 'steps'.  Stop."
	steps = readSteps(mistake+"\n", time.Now(), true)
	if len(steps) != 1 || steps[0].State != Failed || steps[0].Problem != mistake {
		t.Errorf("make itself failed: %+v", steps)
	}
}

func TestRunningLines(t *testing.T) {
	running := func(name, does string, seconds int) Step {
		return Step{Name: name, Does: does, State: Running, Took: time.Duration(seconds) * time.Second}
	}
	got := runningLines(Steps{running("mdBook", "compile it", 12), {State: Waiting},
		running("engine", strings.Repeat("compile Go's compiler ", 9), 3)})
	want := []string{"mdBook   12 s: compile it",
		"engine   3 s: compile Go's compiler compile Go's compiler compile Go's compi..."}
	if !slices.Equal(got, want) || len(got[1]) != 79 {
		t.Errorf("%q, want %q", got, want)
	}
}

// TestReporter reports steps where there is no terminal: one that ends, and one that is not to be told.
func TestReporter(t *testing.T) {
	var out strings.Builder
	report := reporter(printable.NewStatusLine(&out), func(step Step) bool { return step.Name != "quiet" })
	for _, state := range []string{Waiting, Running, Running, Done, Done} {
		report(Steps{{Name: "book", Does: "build the book", State: state, Took: 3 * time.Second},
			{Name: "quiet", State: state}})
	}
	if want := "book     build the book\nbook     done in 3 s\n"; out.String() != want {
		t.Errorf("it said %q, want %q", out.String(), want)
	}
}
