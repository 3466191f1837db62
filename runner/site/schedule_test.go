//go:build unix

package site

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
)

// sh is the command of a step that runs a script.
func sh(script string) []string { return []string{"sh", "-c", script} }

// await is a script that waits for a file.
func await(file string) string { return fmt.Sprintf("until [ -e %s ]; do sleep 0.01; done", file) }

// A run is a run of steps in a folder of its own, with everything that was reported about it.
type run struct {
	*Steps
	dir      string
	reported []string // "name state", as it came
}

// start makes steps with two commands at once.
func start(t *testing.T, grace time.Duration, steps ...Step) *run {
	t.Helper()
	r := &run{dir: t.TempDir()}
	var err error
	r.Steps, err = newSteps(steps, stepOptions{
		Dir: r.dir, Parallel: 2, Grace: grace, Record: filepath.Join(r.dir, "cache", "steps.json"),
		Report: func(s Status) {
			r.reported = append(r.reported, s.Name+" "+s.State.String())
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func (r *run) status(name string) Status {
	all := r.Snapshot()
	return all[slices.IndexFunc(all, func(s Status) bool { return s.Name == name })]
}

func (r *run) file(t *testing.T, name string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(r.dir, name))
	if err != nil {
		t.Fatal(err)
	}
	return strings.TrimSpace(string(text))
}

// TestOrder has two steps that wait for each other, and so end only if they run in parallel, and others that need them.
func TestOrder(t *testing.T) {
	r := start(t, time.Minute,
		Step{Name: "a", Command: sh("touch a; " + await("b") + "; echo a >>order; touch written")},
		Step{Name: "b", Command: sh("touch b; " + await("written") + "; echo b >>order")},
		Step{Name: "c", Needs: []string{"a", "b"}, Command: sh("echo c >>order; touch c")},
		Step{Name: "d", Wants: []string{"c"}, Command: sh("echo d >>order; echo \"[$WITHOUT]\"; false")},
	)
	if all := r.Snapshot(); all.Over() || len(all.In(Waiting)) != 4 {
		t.Errorf("before: %+v", all)
	}
	r.Run(t.Context())
	if got := strings.Fields(r.file(t, "order")); !slices.Equal(got, []string{"a", "b", "c", "d"}) {
		t.Errorf("the order was %v", got)
	}
	if len(r.reported) == 8 {
		slices.Sort(r.reported[2:4]) // a and b end in either order
	}
	if want := []string{"a running", "b running", "a done", "b done", "c running", "c done", "d running",
		"d failed"}; !slices.Equal(r.reported, want) {
		t.Errorf("reported %v, want %v", r.reported, want)
	}
	if !r.Snapshot().Over() || r.status("d").Problem != "[]" {
		t.Errorf("after: %+v", r.Snapshot())
	}
}

// TestParallel has more steps ready than may run: the first ones begin, and no more than two run at the same time.
func TestParallel(t *testing.T) {
	one := func(name string) Step {
		return Step{Name: name,
			Command: sh("mkdir slot1 2>/dev/null && mine=slot1 || { mkdir slot2 && mine=slot2; } || exit 1; sleep " +
				"0.05; rmdir $mine")}
	}
	r := start(t, time.Minute, one("a"), one("b"), one("c"), one("d"), one("e"))
	r.Run(t.Context())
	if failed := r.Snapshot().In(Failed); len(failed) > 0 {
		t.Errorf("more than two ran at the same time: %+v", failed)
	}
	if want := []string{"a running", "b running"}; !slices.Equal(r.reported[:2], want) {
		t.Errorf("first were %v", r.reported[:2])
	}
}

// TestFailure has a step fail: steps that need it are skipped, steps that want it run without it, and the rest runs as
// before.
func TestFailure(t *testing.T) {
	r := start(t, time.Minute,
		Step{Name: "a", Command: sh("echo missing: cargo; echo '    install Rust' >&2; exit 3")},
		Step{Name: "b", Command: []string{"no-such-program"}},
		Step{Name: "c", Needs: []string{"a"}, Command: sh("touch c")},
		Step{Name: "d", Needs: []string{"c"}, Command: sh("touch d")},
		Step{Name: "e", Wants: []string{"a", "c"},
			Command: sh("echo $WITHOUT >e; for i in $(seq 3000); do echo line $i; done; exit 1")},
		Step{Name: "f", Wants: []string{"e"}, Command: sh("echo said >f")},
	)
	r.Run(t.Context())
	for name, want := range map[string]struct {
		state   State
		problem string
	}{
		"a": {Failed, "missing: cargo\n    install Rust"},
		"b": {Failed, `exec: "no-such-program": executable file not found in $PATH`},
		"c": {Skipped, "It needs the result of a."},
		"d": {Skipped, "It needs the result of c."},
		"f": {Done, ""},
	} {
		if got := r.status(name); got.State != want.state || got.Problem != want.problem {
			t.Errorf("%s %v: %q, want %v: %q", name, got.State, got.Problem, want.state, want.problem)
		}
	}
	if got := r.file(t, "e"); got != "a c" {
		t.Errorf("step e was told that these steps failed: %q", got)
	}
	if _, err := os.Stat(filepath.Join(r.dir, "c")); err == nil {
		t.Error("a step ran although it needs one that failed")
	}
	// The end of a long output is kept, in whole lines.
	if got := r.status("e").Problem; len(got) > outputKept || !strings.HasPrefix(got, "line ") ||
		!strings.HasSuffix(got, "\nline 3000") {
		t.Errorf("of 3000 lines %d bytes are kept: %.40q…", len(got), got)
	}
}

// TestStop stops steps while two run: the resumable one is interrupted and waits again, the other one ends, and none
// begins.
func TestStop(t *testing.T) {
	r := start(t, time.Minute,
		Step{Name: "long", Command: sh(await("never")), Resumable: true},
		Step{Name: "short", Command: sh(await("go-on"))},
		Step{Name: "next", Needs: []string{"short"}, Command: sh("exit 0")},
	)
	ended := make(chan struct{})
	go func() { defer close(ended); r.Run(t.Context()) }()
	for len(r.Snapshot().In(Running)) < 2 {
		time.Sleep(time.Millisecond)
	}
	r.Stop()
	for r.status("long").State != Waiting {
		time.Sleep(time.Millisecond)
	}
	if state := r.status("short").State; state != Running {
		t.Errorf("the step that is not resumable has the state %v", state)
	}
	if err := os.WriteFile(filepath.Join(r.dir, "go-on"), nil, 0o644); err != nil {
		t.Fatal(err)
	}
	<-ended
	if want := []string{"long running", "short running", "long waiting", "short done"}; !slices.Equal(r.reported,
		want) {
		t.Errorf("reported %q, want %q", r.reported, want)
	}
}

// TestInterrupted interrupts steps: one that cleans up, one that ignores the signal, and the processes that both have
// started.
func TestInterrupted(t *testing.T) {
	r := start(t, time.Second,
		Step{Name: "tidies", Command: sh(`trap 'touch tidied; exit 1' TERM; sleep 1000 & echo $! >one; wait`)},
		Step{Name: "stays",
			Command: sh(`trap '' TERM; sh -c 'trap "" TERM; sleep 1000' & echo $! >two; while :; do wait; done`)},
		Step{Name: "waits", Command: sh("touch begun")},
	)
	ctx, interrupt := context.WithCancel(t.Context())
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		r.Run(ctx)
	}()
	var left []int
	for _, file := range []string{"one", "two"} {
		for {
			text, _ := os.ReadFile(filepath.Join(r.dir, file))
			if pid, err := strconv.Atoi(strings.TrimSpace(string(text))); err == nil {
				left = append(left, pid)
				break
			}
			time.Sleep(time.Millisecond)
		}
	}
	if running := r.Snapshot().In(Running); len(running) != 2 || running[0].Took <= 0 {
		t.Errorf("under way are %+v", running)
	}
	interrupt()
	<-ended
	r.file(t, "tidied")
	for _, pid := range left {
		// A killed process remains a zombie until its parent waits for it.
		for alive(pid) {
			time.Sleep(time.Millisecond)
		}
	}
	for name, want := range map[string]State{"tidies": Failed, "stays": Failed, "waits": Skipped} {
		if got := r.status(name); got.State != want || !strings.HasPrefix(got.Problem, "It was interrupted.") {
			t.Errorf("%s %v: %q, want %v", name, got.State, got.Problem, want)
		}
	}
}

func alive(pid int) bool {
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err == nil {
		_, state, _ := strings.Cut(string(stat), ") ")
		return !strings.HasPrefix(state, "Z")
	}
	return syscall.Kill(pid, 0) == nil
}

// TestEstimates tests that the next estimate of a step is how long it last took, provided that it had work to do.
func TestEstimates(t *testing.T) {
	steps := []Step{
		{Name: "slow", Estimate: time.Hour, Command: sh("sleep 1.1")},
		{Name: "none", Estimate: time.Hour, Command: sh("exit 0")},
		{Name: "fails", Estimate: time.Hour, Command: sh("sleep 1.1; exit 1")},
	}
	r := start(t, time.Minute, steps...)
	r.Run(t.Context())
	again, err := newSteps(steps, r.options)
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range again.Snapshot() {
		if learned := s.Estimate < time.Hour; learned != (s.Name == "slow") || s.Estimate < time.Second {
			t.Errorf("%s: estimate %v", s.Name, s.Estimate)
		}
	}
	if err := os.WriteFile(r.options.Record, []byte(`{"slow": -1, "none": 1e300, "fails": `), 0o644); err != nil {
		t.Fatal(err)
	}
	if again, err = newSteps(steps, r.options); err != nil || again.Snapshot()[0].Estimate != time.Hour {
		t.Errorf("with an invalid record: %v, %+v", err, again)
	}
}

func TestNewSteps(t *testing.T) {
	for _, c := range []struct {
		name  string
		steps []Step
	}{
		{"one that is needed is none", []Step{{Name: "a", Needs: []string{"b"}, Command: sh("")}}},
		{"one that is needed comes later", []Step{{Name: "a", Wants: []string{"b"}, Command: sh("")},
			{Name: "b", Command: sh("")}}},
		{"two have one name", []Step{{Name: "a", Command: sh("")}, {Name: "a", Command: sh("")}}},
		{"no command", []Step{{Name: "a"}}},
	} {
		if _, err := newSteps(c.steps, stepOptions{}); err == nil {
			t.Errorf("%s: no error", c.name)
		}
	}
}
