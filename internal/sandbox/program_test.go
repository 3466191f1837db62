package sandbox

import (
	"context"
	"errors"
	"fmt"
	"os"
	"reflect"
	"runtime"
	"strings"
	"testing"
	"time"

	"onthestack/internal/toolchain"
	"onthestack/internal/verdict"
)

var limits = Limits{Time: 20 * time.Second, Output: 64 << 10, Memory: 256 << 20}

// build builds a program for wasip1 and returns the path of its binary.
func build(t *testing.T, program string) string {
	t.Helper()
	b, err := toolchain.NewWasm(toolchain.DefaultLimits()).BuildProgram(t.Context(), verdict.Source{
		Files: map[string][]byte{"prog.go": []byte(program)},
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { b.Close() })
	if !b.OK {
		t.Fatalf("%s%s", b.Stopped, b.Output)
	}
	return b.Binary
}

func runProgram(t *testing.T, program string) *ProgramRun {
	t.Helper()
	result, err := Wasm{Limits: limits}.RunProgram(t.Context(), build(t, program))
	if err != nil {
		t.Fatal(err)
	}
	return result
}

func TestProgramEventsInFakeTime(t *testing.T) {
	start := time.Now()
	got := runProgram(t, `package main

import (
	"fmt"
	"os"
	"time"
)

func main() {
	fmt.Println(time.Now())
	fmt.Fprintln(os.Stderr, "B")
	fmt.Println("A")
	fmt.Println("A")
	time.Sleep(time.Hour)
	fmt.Fprintln(os.Stderr, "B")
	<-time.After(time.Second)
	fmt.Println(time.Now())
	os.Exit(3)
}
`)
	want := &ProgramRun{Exit: 3, Events: []Event{
		{"2009-11-10 23:00:00 +0000 UTC m=+0.000000001\n", "stdout", 0},
		{"B\n", "stderr", 1},
		{"A\nA\n", "stdout", 1},
		{"B\n", "stderr", time.Hour - 2},
		{"2009-11-11 00:00:01 +0000 UTC m=+3601.000000001\n", "stdout", time.Second},
	}}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("got  %+v\nwant %+v", got, want)
	}
	if d := time.Since(start); d > limits.Time {
		t.Errorf("sleeping for an hour took %v", d)
	}
}

func TestProgramTickersFireInOrder(t *testing.T) {
	got := runProgram(t, `package main

import "time"

func main() {
	two, three, end := time.Tick(2*time.Second), time.Tick(3*time.Second), time.After(8500*time.Millisecond)
	for {
		select {
		case <-two:
			print("2")
		case <-three:
			print("3")
		case <-end:
			return
		}
	}
}
`)
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

func TestProgramSeesNothingOfTheHost(t *testing.T) {
	t.Setenv("SECRET", "sesame")
	got := runProgram(t, `package main

import (
	"fmt"
	"io"
	"net"
	"os"
)

func main() {
	fmt.Println(os.Args, os.Environ())
	for _, name := range []string{"/", ".", "/etc/passwd", "/tmp", "../.."} {
		if f, err := os.Open(name); err == nil {
			fmt.Println("opened", name, f)
		}
	}
	if err := os.WriteFile("/tmp/x", nil, 0o600); err == nil {
		fmt.Println("wrote a file")
	}
	if c, err := net.Dial("tcp", "127.0.0.1:80"); err == nil {
		fmt.Println("dialed", c)
	}
	n, err := os.Stdin.Read(make([]byte, 1))
	fmt.Println(n, err == io.EOF)
}
`)
	if len(got.Events) != 1 || got.Events[0].Message != "[prog] []\n0 true\n" {
		t.Errorf("%+v", got)
	}
}

func TestProgramRecursesDeeperThanTheInterpreterCan(t *testing.T) {
	got := runProgram(t, `package main

func depth(n int) int {
	if n == 0 {
		return 0
	}
	return 1 + depth(n-1)
}

func main() { println("once"); println(depth(100_000)) }
`)
	want := []Event{{"once\n100000\n", "stderr", 0}}
	if !reflect.DeepEqual(got.Events, want) || got.Exit != 0 {
		t.Errorf("%+v", got)
	}
}

func TestProgramVariablesLargerThanItsMemory(t *testing.T) {
	got := runProgram(t, `package main

var x [1 << 30]byte

func main() { x[len(x)-1] = 1; println(x[len(x)-1]) }
`)
	if len(got.Events) != 1 || got.Exit != 2 || !strings.Contains(got.Events[0].Message, "over limit of 4096 pages (256 Mi)") {
		t.Errorf("%+v", got)
	}
}

func TestProgramIsCanceled(t *testing.T) {
	binary := build(t, "package main\n\nfunc main() { for {} }\n")
	why := errors.New("the reader left")
	ctx, cancel := context.WithCancelCause(t.Context())
	time.AfterFunc(300*time.Millisecond, func() { cancel(why) })
	start := time.Now()
	_, err := Wasm{Limits: limits}.RunProgram(ctx, binary)
	if !errors.Is(err, why) {
		t.Errorf("error %v", err)
	}
	if d := time.Since(start); d > limits.Time/2 {
		t.Errorf("a tight loop was canceled after %v only", d)
	}
}

// TestProgramMemoryGoesBack runs a program that fills its memory, time and again, and looks at what this process holds then.
func TestProgramMemoryGoesBack(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Log("how much memory a process holds is read from /proc, which is Linux's")
		return
	}
	binary := build(t, `package main

var kept [][]byte

func main() {
	for {
		b := make([]byte, 1<<20)
		for i := 0; i < len(b); i += 4096 {
			b[i] = 1
		}
		kept = append(kept, b)
	}
}
`)
	before := addressSpace(t)
	for range 3 {
		got, err := Wasm{Limits: limits}.RunProgram(t.Context(), binary)
		if err != nil {
			t.Fatal(err)
		}
		if got.Exit != 2 || !strings.Contains(got.Events[0].Message, "fatal error: out of memory") {
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

func TestEventsAreBounded(t *testing.T) {
	full := 0
	m := &meter{left: 1000, full: func() { full++ }}
	c := newClock()
	log := &eventLog{meter: m, clock: c, last: c.now}
	for range 1000 {
		eventWriter{log, "stdout"}.Write([]byte("x"))
		c.sleep(1)
	}
	if got, want := len(log.events()), 1000/(eventCost+1); got != want || full != 1 || !m.exceeded() {
		t.Errorf("%d events, want %d; full was called %d times", got, want, full)
	}
}

func TestValidUTF8(t *testing.T) {
	for in, want := range map[string]string{
		"a\xffb\xfe\xfdc": "a\uFFFDb\uFFFD\uFFFDc",
		"grün":            "grün",
		"\xe4\xbd":        "\uFFFD\uFFFD",
	} {
		if got := validUTF8([]byte(in)); got != want {
			t.Errorf("%q: got %q, want %q", in, got, want)
		}
	}
}

func TestClockDoesNotOverflow(t *testing.T) {
	c := newClock()
	c.sleep(-5)
	if c.now != epoch {
		t.Errorf("a negative sleep moved the clock to %d", c.now)
	}
	c.sleep(1<<63 - 1)
	c.sleep(1<<63 - 1)
	if c.now != 1<<63-1 {
		t.Errorf("clock shows %d", c.now)
	}
}
