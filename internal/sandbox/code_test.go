package sandbox

import (
	"bytes"
	"encoding/binary"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"runtime/metrics"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"onthestack/internal/execution"
	"onthestack/internal/harness/wire"
)

// buildSource builds a program of one file as build does.
func buildSource(t *testing.T, source string) string {
	t.Helper()
	dir := t.TempDir()
	file, binary := filepath.Join(dir, "main.go"), filepath.Join(dir, "main.wasm")
	if err := os.WriteFile(file, []byte(source), 0o600); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command("go", "build", "-trimpath", "-ldflags=-s -w", "-o", binary, file)
	cmd.Env = append(os.Environ(), "GOOS=wasip1", "GOARCH=wasm", "GOFLAGS=")
	if output, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, output)
	}
	return binary
}

// TestProofProgramWithOneLargeFunction runs an endless loop of so many statements that compiling it would take 900 MB.
func TestProofProgramWithOneLargeFunction(t *testing.T) {
	if underRace {
		return
	}
	binary := buildSource(t, "package main\nvar m = map[any]any{}\nvar i = 0\nfunc main() {\nprintln(\"begin\")\n"+
		"for {\n"+
		strings.Repeat("m[i]=m\n", 4000)+"}\n}\n")
	short := limits
	short.Time = 3 * time.Second

	test, err := runTest(t, Wasm{Limits: short}, binary, wire.Tests)
	if err != nil {
		t.Fatal(err)
	}
	if want := "the program was not started: one function has more than 128 KiB of code\n"; string(
		test.Output) != want || test.Exit != 2 {
		t.Errorf("as a test it ended with %d and printed %q, want %q", test.Exit, test.Output, want)
	}

	most := watchHeap(t)
	got, err := Wasm{Limits: short}.RunProgram(t.Context(), binary)
	if err != nil {
		t.Fatal(err)
	}
	if stderr := printed(got, "stderr"); got.Stop.Kind != execution.RunTime || got.Exit != 1 ||
		stderr != "begin\ntimeout running program after 3s\n" {
		t.Errorf("stop %q, exit %d, stderr %q", got.Stop, got.Exit, stderr)
	}
	if heap := most(); heap > 400<<20 {
		t.Errorf("took %d MiB of heap", heap>>20)
	} else {
		t.Logf("took %d MiB of heap", heap>>20)
	}
}

// TestProgramThatIsNotReadyInTime gives the compiler less time than it takes for the smallest program.
func TestProgramThatIsNotReadyInTime(t *testing.T) {
	binary := build(t, "programs")
	short := limits
	short.Ready = 20 * time.Millisecond

	test, err := runTest(t, Wasm{Limits: short}, binary, wire.Tests)
	if err != nil {
		t.Fatal(err)
	}
	if want := "was not ready to run after 20ms"; test.Stop.String() != want || len(test.Output) > 0 {
		t.Errorf("as a test it stopped as it %q, printed %q", test.Stop, test.Output)
	}

	// The interpreter does not look at the clock before it is done.
	got, err := Wasm{Limits: short}.RunProgram(t.Context(), binary)
	if err != nil {
		t.Fatal(err)
	}
	if want := "the program was not started: making it ready took longer than " +
		"20ms\n"; got.Stop.Kind != execution.LoadTime || got.Exit != 2 || printed(got, "stderr") != want {
		t.Errorf("stop %q, exit %d, stderr %q", got.Stop, got.Exit, printed(got, "stderr"))
	}
}

// watchHeap samples this process's heap, freed memory included that is not swept yet, until the function it returns is
// called, which returns by how much it grew at most, in bytes.
func watchHeap(t *testing.T) func() uint64 {
	heap := func() uint64 {
		sample := []metrics.Sample{{Name: "/memory/classes/heap/objects:bytes"}}
		metrics.Read(sample)
		return sample[0].Value.Uint64()
	}
	runtime.GC()
	before := heap()
	most := before
	done := make(chan struct{})
	var watching sync.WaitGroup
	watching.Go(func() {
		tick := time.NewTicker(5 * time.Millisecond)
		defer tick.Stop()
		for {
			select {
			case <-done:
				return
			case <-tick.C:
				most = max(most, heap())
			}
		}
	})
	stop := sync.OnceFunc(func() { close(done); watching.Wait() })
	t.Cleanup(stop)
	return func() uint64 { stop(); return most - before }
}

func TestProgramsThatAreRefused(t *testing.T) {
	for _, c := range []struct {
		name   string
		binary []byte
		want   string
	}{
		{"empty", nil, "it is not WebAssembly"},
		{"text", []byte("package main\n"), "it is not WebAssembly"},
		{"a section cut short", wasm(section(0, make([]byte, 9))[:5]), "it is not WebAssembly"},
		{"too large", make([]byte, maxBinary+1), "built, it has more than 32 MiB"},
		{
			"too much code", wasm(code(slices.Repeat([][]byte{make([]byte, 100<<10)}, 130)...)),
			"built, it has 12.7 MiB of code, of which 0.1 MiB are in one function; 12 MiB can be run, where the " +
				"largest function counts four times",
		},
		{
			"too large a function", wasm(code(make([]byte, 4<<20))),
			"built, it has 4.0 MiB of code, of which 4.0 MiB are in one function; 12 MiB can be run, where the " +
				"largest function counts four times",
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			file := filepath.Join(t.TempDir(), "main.wasm")
			if err := os.WriteFile(file, c.binary, 0o600); err != nil {
				t.Fatal(err)
			}
			want := "the program was not started: " + c.want + "\n"
			got, err := Wasm{Limits: limits}.RunProgram(t.Context(), file)
			if err != nil || got.Exit != 2 || printed(got, "stderr") != want {
				t.Errorf("run as a program it gave %+v, %v, want %q", got, err, want)
			}
			test, err := runTest(t, Wasm{Limits: limits}, file, wire.Tests)
			if err != nil || test.Exit != 2 || string(test.Output) != want {
				t.Errorf("run as a test it gave %+v, %v, want %q", test, err, want)
			}
		})
	}
}

func TestSizeOf(t *testing.T) {
	three := code(make([]byte, 5), make([]byte, 300), nil)
	for _, c := range []struct {
		name   string
		binary []byte
		size   codeSize
		ok     bool
	}{
		{"no section", wasm(), codeSize{}, true},
		{"other sections", wasm(section(1, make([]byte, 7)), section(11, make([]byte, 900))), codeSize{}, true},
		{"three functions", wasm(section(1, []byte{0}), three, section(11, []byte{0})),
			codeSize{total: 310, largest: 300}, true},
		{"two code sections", wasm(code(make([]byte, 9)), three), codeSize{total: 321, largest: 300}, true},
		{"another version", []byte("\x00asm\x02\x00\x00\x00"), codeSize{}, false},
		{"no length", wasm([]byte{10}), codeSize{}, false},
		{"an endless length", wasm(append([]byte{10}, bytes.Repeat([]byte{0x80}, 12)...)), codeSize{}, false},
		{"a length of more than 32 bits", wasm([]byte{10, 0xff, 0xff, 0xff, 0xff, 0x1f}), codeSize{}, false},
		{"fewer functions than it says", wasm(section(10, []byte{3, 1, 0})), codeSize{}, false},
		{"billions of functions", wasm(section(10, []byte{0xff, 0xff, 0xff, 0xff, 0x0f})), codeSize{}, false},
		{"a function longer than its section", wasm(section(10, []byte{1, 9, 0}), section(11, make([]byte, 20))),
			codeSize{}, false},
	} {
		if size, err := sizeOf(c.binary); size != c.size || (err == nil) != c.ok {
			t.Errorf("%s: %+v, %v, want %+v", c.name, size, err, c.size)
		}
	}
}

// FuzzSizeOf measures anything, and a binary whose functions are known.
func FuzzSizeOf(f *testing.F) {
	f.Add(wasm(), []byte(nil))
	f.Add(wasm(section(1, []byte{0}), code([]byte{0, 0x0b}, make([]byte, 200)), section(0, []byte("\x04name"))),
		[]byte{0, 0x0b})
	f.Add(wasm(section(10, []byte{0xff, 0xff, 0xff, 0xff, 0x0f})), make([]byte, 1<<14))
	f.Fuzz(func(t *testing.T, a, b []byte) {
		size, err := sizeOf(a)
		if size.largest < 0 || size.largest > size.total || size.total > len(a) || err != nil && size != (codeSize{}) {
			t.Errorf("%+v, %v of %d bytes", size, err, len(a))
		}
		functions := code(a, b, a)
		content, _, _ := cutSized(functions[1:])
		want := codeSize{total: len(content), largest: max(len(a), len(b))}
		if size, err := sizeOf(wasm(section(0, b), functions, section(11, a))); err != nil || size != want {
			t.Errorf("%+v, %v, want %+v", size, err, want)
		}
	})
}

// wasm returns a binary of these sections.
func wasm(sections ...[]byte) []byte {
	return append([]byte("\x00asm\x01\x00\x00\x00"), bytes.Join(sections, nil)...)
}

func section(id byte, content []byte) []byte { return append([]byte{id}, sized(content)...) }

// code returns a section of functions.
func code(functions ...[]byte) []byte {
	content := binary.AppendUvarint(nil, uint64(len(functions)))
	for _, f := range functions {
		content = append(content, sized(f)...)
	}
	return section(10, content)
}

func sized(content []byte) []byte {
	return append(binary.AppendUvarint(nil, uint64(len(content))), content...)
}
