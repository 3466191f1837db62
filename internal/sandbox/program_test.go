package sandbox

import (
	"context"
	"errors"
	"fmt"
	"os"
	"reflect"
	"regexp"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/tetratelabs/wazero/api"
	"github.com/tetratelabs/wazero/experimental"

	"onthestack/internal/execution"
)

// limits give every program time to be compiled and to end by itself, on a busy machine and under the race detector
// too.
var limits = Limits{Time: time.Minute, Output: 64 << 10, Memory: 256 << 20, Ready: 10 * time.Minute}

// underRace is whether the race detector watches. Wazero's engines are ten times slower then.
var underRace bool

func runProgram(t *testing.T, limits Limits, folder string, args ...string) *execution.Result {
	t.Helper()
	result, err := Wasm{Limits: limits, Zones: zones(t)}.RunProgram(t.Context(), build(t, folder), args...)
	if err != nil {
		t.Fatal(err)
	}
	return result
}

// printed returns what a program printed to one stream.
func printed(r *execution.Result, kind string) string {
	var text strings.Builder
	for _, e := range r.Events {
		if e.Kind == kind {
			text.WriteString(e.Message)
		}
	}
	return text.String()
}

// TestPrograms runs programs of testdata, most of them hostile. The race detector watches the programs that need no
// compiling, and TestProgramIsCanceled. In the other tests, goroutines of this package meet in no other way.
func TestPrograms(t *testing.T) { testPrograms(t, false) }

// TestNightlyPrograms runs the programs that are similar to other programs of testdata.
func TestNightlyPrograms(t *testing.T) { testPrograms(t, true) }

func testPrograms(t *testing.T, nightly bool) {
	const stopped = "timeout running program after 2s\n"
	short := limits
	short.Time = 2 * time.Second
	// Goroutines take memory for as long as they are started: here their time ends long before the memory does.
	roomy := limits
	roomy.Time, roomy.Memory = 500*time.Millisecond, 2<<30
	for _, c := range []struct {
		name           string
		limits         Limits
		exit           int
		stop           execution.Kind
		stdout, stderr string // whole, or where it is between slashes a regular expression
		slow           bool   // not under the race detector
		nightly        bool   // only in make nightly
	}{
		{name: "hello", stdout: "Hello, 世界\n"},
		{name: "arguments", stdout: "prog arguments\n\n0 true\n"},
		{name: "invalid text", stdout: "a\uFFFDb世c\n"},
		{name: "waits", exit: 2, stderr: "/^fatal error: all goroutines are asleep - deadlock!\n/"},
		{name: "panics", exit: 2, stdout: "deferred\n", stderr: "/^panic: assignment to entry in nil map\n/"},
		{name: "exits", exit: 255},
		{name: "output", exit: -1, stop: execution.Output, stdout: "/^(x{1000}\n)+x*$/"},
		{name: "closes stdout", stderr: "kept\nnumber 1\n"},
		{name: "closes stderr", exit: 2, stdout: "kept\n"},
		{name: "closes all"},
		{
			name: "system calls", exit: 2,
			stdout: "renumber 52\nrenumber root 52\nallocate 51\nallocate overflow 28\nread 28\nwrite 28\nreaddir " +
				"0\nreaddir cookie 44\n" +
				"poll nothing 28\npoll 28\nopen 37\nopen relative to a file 54\nopen relative to stdin 54\n" +
				"symlink 37\nrandom 21\n" +
				"accept 8\nsend 8\n",
			stderr: "the program was stopped: runtime error: invalid memory address or nil pointer dereference\n",
		},

		{name: "goroutines", stdout: "1999000 23:00:06\n", slow: true},
		{name: "small output", exit: -1, stop: execution.Output, stderr: "/^x{1000,}$/", slow: true},
		{name: "depth", stderr: "once\n100000\n", slow: true, nightly: true},
		{name: "computes", stderr: "/^[0-9]+\n$/", slow: true, nightly: true},
		{name: "memory", exit: 2, stderr: "/\nfatal error: out of memory\n/", slow: true},
		{name: "endless recursion", exit: 2, stderr: "/^runtime: goroutine stack exceeds 4194304-byte limit\n/",
			slow: true, nightly: true},
		{name: "many files", stdout: "open /tmp/4096: No space left on device\n", slow: true},
		{name: "a deep folder", stdout: "File name too long\n", slow: true, nightly: true},
		{name: "a full disk", stdout: "write /tmp/full: No space left on device\n", slow: true, nightly: true},
		{name: "loops", limits: short, exit: 1, stop: execution.RunTime, stderr: "begin\n" + stopped, slow: true},
		{name: "sleeps", limits: short, exit: 1, stop: execution.RunTime, stderr: stopped, slow: true, nightly: true},
		{name: "yields", limits: short, exit: 1, stop: execution.RunTime, stdout: "begin\n", stderr: stopped,
			slow: true, nightly: true},
		{name: "goroutine bomb", limits: roomy, exit: 1, stop: execution.RunTime,
			stderr: "timeout running program after 500ms\n", slow: true, nightly: true},
	} {
		if underRace && c.slow || c.nightly != nightly {
			continue
		}
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			if c.limits == (Limits{}) {
				c.limits = limits
			}
			start := time.Now()
			got := runProgram(t, c.limits, "programs", c.name)
			if got.Exit != c.exit || got.Stop.Kind != c.stop {
				t.Errorf("exit %d, stop %d, want %d and %d", got.Exit, got.Stop.Kind, c.exit, c.stop)
			}
			for kind, want := range map[string]string{"stdout": c.stdout, "stderr": c.stderr} {
				text := printed(got, kind)
				matches := text == want
				if len(want) > 1 && want[0] == '/' {
					matches = regexp.MustCompile(want[1 : len(want)-1]).MatchString(text)
				}
				if !matches {
					t.Errorf("%s %.2000q, want %q", kind, text, want)
				}
			}
			t.Logf("took %v", time.Since(start))
		})
	}
}

// TestProofProgramIsCompiledWhereThatPays counts how often a program is made ready.
func TestProofProgramIsCompiledWhereThatPays(t *testing.T) {
	binary := build(t, "programs")
	for name, want := range map[string]int{"hello": 1, "computes": 2, "depth": 2} {
		if underRace && want > 1 {
			continue
		}
		got := 0
		ctx := experimental.WithFunctionListenerFactory(t.Context(), functionSeen(func(f api.FunctionDefinition) {
			if f.GoFunction() == nil && f.Index() == 1000 {
				got++
			}
		}))
		result, err := Wasm{Limits: limits}.RunProgram(ctx, binary, name)
		if err != nil || result.Exit != 0 || got != want {
			t.Errorf("%s was made ready %d times, want %d: %+v, %v", name, got, want, result, err)
		}
	}
}

// A functionSeen is called for each function of a module that wazero makes ready.
type functionSeen func(api.FunctionDefinition)

// NewFunctionListener implements experimental.FunctionListenerFactory.
func (f functionSeen) NewFunctionListener(d api.FunctionDefinition) experimental.FunctionListener {
	f(d)
	return nil
}

// TestFiles runs the tests of a disk that testdata has.
func TestFiles(t *testing.T) {
	run, passes := ".", 15
	if underRace {
		run, passes = "^(TestTree|TestErrors|TestTimes)$", 3
	}
	got := runProgram(t, limits, "files", "-test.v", "-test.run="+run)
	output := printed(got, "stdout")
	if got.Exit != 0 || strings.Count(output, "\n--- PASS: ") < passes || !strings.HasSuffix(output, "\nPASS\n") {
		t.Errorf("%+v\n%s%s", got, output, printed(got, "stderr"))
	}
}

func TestDiskIsNewForEachRun(t *testing.T) {
	runProgram(t, limits, "programs", "closes stdout") // makes a file
	if got := runProgram(t, limits, "files", "-test.run=^TestTree$"); got.Exit != 0 {
		t.Fatalf("%+v", got)
	}
}

func TestServerAndClientInOneProgram(t *testing.T) {
	got := runProgram(t, limits, "server")
	want := []execution.Event{{Message: "hello, world\n", Kind: "stdout", Delay: time.Second}}
	if got.Exit != 0 || !reflect.DeepEqual(got.Events, want) {
		t.Errorf("%+v", got)
	}
}

func TestProgramEventsInFakeTime(t *testing.T) {
	got := runProgram(t, limits, "programs", "times") // within their minute
	want := &execution.Result{Exit: 3, Events: []execution.Event{
		{Message: "2009-11-10 23:00:00 +0000 UTC m=+0.000000001\n", Kind: "stdout", Delay: 0},
		{Message: "B\n", Kind: "stderr", Delay: 1},
		{Message: "A\nA\n", Kind: "stdout", Delay: 1},
		{Message: "B\n", Kind: "stderr", Delay: time.Hour - 2},
		{Message: "2009-11-11 00:00:01 +0000 UTC m=+3601.000000001\n", Kind: "stdout", Delay: time.Second},
	}}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("got  %+v\nwant %+v", got, want)
	}
}

func TestProgramTickersFireInOrder(t *testing.T) {
	got := runProgram(t, limits, "programs", "tickers")
	var order string
	var total time.Duration
	for _, e := range got.Events {
		order += e.Message
		total += e.Delay
	}
	// At 6 s both are due, in either order.
	if s := []byte(order); len(s) != 6 || string(s[:3]) != "232" || s[5] != '2' || total != 8*time.Second {
		t.Errorf("order %q in %v", order, total)
	}
}

func TestProgramVariablesLargerThanItsMemory(t *testing.T) {
	got := runProgram(t, limits, "large")
	if len(got.Events) != 1 || got.Exit != 2 || !strings.Contains(got.Events[0].Message,
		"over limit of 4096 pages (256 Mi)") {
		t.Errorf("%+v", got)
	}
}

// TestProgramIsCanceled cancels a program at different moments: while it is made ready and while it runs, interpreted
// and compiled.
func TestProgramIsCanceled(t *testing.T) {
	binary := build(t, "programs")
	why := errors.New("the reader left")
	endless := limits
	endless.Time = time.Hour // nothing else ends it
	for _, after := range []time.Duration{0, 50 * time.Millisecond, 300 * time.Millisecond, time.Second,
		2 * time.Second} {
		if underRace && after > time.Second/2 {
			continue
		}
		ctx, cancel := context.WithCancelCause(t.Context())
		timer := time.AfterFunc(after, func() { cancel(why) })
		_, err := Wasm{Limits: endless}.RunProgram(ctx, binary, "loops")
		if !errors.Is(err, why) {
			t.Fatalf("error %v", err)
		}
		timer.Stop()
	}
}

// TestProgramMemoryGoesBack runs a program that fills its memory, time and again, and looks at what this process holds
// then.
func TestProgramMemoryGoesBack(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Log("how much memory a process holds is read from /proc, which is Linux's")
		return
	}
	if underRace {
		return
	}
	before := addressSpace(t)
	for range 3 {
		if got := runProgram(t, limits, "programs", "memory"); got.Exit != 2 {
			t.Fatalf("%+v", got)
		}
	}
	if grown := addressSpace(t) - before; grown > limits.Memory {
		t.Errorf("three programs with %d MiB of memory each left %d MiB behind", limits.Memory>>20, grown>>20)
	}
}

// addressSpace returns how much memory this process has mapped, touched or not, in bytes.
func addressSpace(t *testing.T) int {
	text, err := os.ReadFile("/proc/self/statm")
	if err != nil {
		t.Fatal(err)
	}
	var pages int
	if _, err := fmt.Sscan(string(text), &pages); err != nil {
		t.Fatal(err)
	}
	return pages * os.Getpagesize()
}

func TestClockDoesNotOverflow(t *testing.T) {
	c := newClock()
	c.sleep(-5)
	if c.now != execution.Epoch {
		t.Errorf("a negative sleep moved the clock to %d", c.now)
	}
	c.sleep(1<<63 - 1)
	c.sleep(1<<63 - 1)
	if c.now != 1<<63-1 {
		t.Errorf("clock shows %d", c.now)
	}
}
