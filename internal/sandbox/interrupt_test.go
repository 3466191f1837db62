package sandbox

import (
	"bytes"
	"context"
	"errors"
	"os"
	"runtime"
	"testing"

	"github.com/tetratelabs/wazero"

	"onthestack/internal/execution"
)

// TestInterruptible has wazero validate the code of a Go program with the counter.
func TestInterruptible(t *testing.T) { testInterruptible(t, "programs") }

// TestProofInterruptible does the same with programs that use more of the standard library.
func TestProofInterruptible(t *testing.T) { testInterruptible(t, "files", "server") }

func testInterruptible(t *testing.T, folders ...string) {
	for _, folder := range folders {
		code, err := os.ReadFile(build(t, folder))
		if err != nil {
			t.Fatal(err)
		}
		counted, err := interruptible(code)
		if err != nil {
			t.Fatalf("%s: %v", folder, err)
		}
		if len(counted) <= len(code) || len(counted) > len(code)*5/4 {
			t.Errorf("%s: %d bytes instead of %d", folder, len(counted), len(code))
		}
		if err := validate(t, counted); err != nil {
			t.Errorf("%s: %v", folder, err)
		}
		if _, err := interruptible(counted[:len(counted)-1]); err == nil {
			t.Errorf("%s: no error for a binary that was cut", folder)
		}
	}
}

// yield is an import section with the function to be interrupted by.
const yield = "\x01\x16wasi_snapshot_preview1\x0bsched_yield\x00\x01"

// validate has wazero decode and validate a module.
func validate(t *testing.T, code []byte) error {
	engine := wazero.NewRuntimeWithConfig(t.Context(), wazero.NewRuntimeConfigInterpreter())
	defer engine.Close(t.Context())
	_, err := engine.CompileModule(t.Context(), code)
	return err
}

// module returns a WebAssembly binary with one function of type [] → [], which has code, and imports.
func module(imports, code string) []byte {
	section := func(id byte, content string) string { return string(id) + string(byte(len(content))) + content }
	body := "\x00" + code + "\x0b"
	return []byte(preamble +
		section(1, "\x02\x60\x00\x00\x60\x00\x01\x7f") + section(importSection, imports) + section(3, "\x01\x00") +
		section(5, "\x01\x00\x01") + section(globalSection, "\x00") +
		section(codeSection, "\x01"+string(byte(len(body)))+body))
}

// TestNotInterruptible: a binary without the call, or with instructions that Go does not emit, is left to wazero.
func TestNotInterruptible(t *testing.T) {
	for _, c := range []struct {
		name string
		in   []byte
		ok   bool
	}{
		{"no WebAssembly", []byte("#!/bin/sh"), false},
		{"empty", module(yield, ""), true},
		{"a loop", module(yield, "\x03\x40\x0c\x00\x0b"), true},
		{"a copy", module(yield, "\x41\x00\x41\x00\x41\x08\xfc\x0a\x00\x00"), true},
		{"a table of branches", module(yield, "\x41\x00\x0e\x02\x00\x00\x00"), true},
		{"no import", module("\x00", ""), false},
		{"another function", module("\x01\x01a\x01b\x00\x00", ""), false},
		{"another import", module("\x01\x01a\x01b\x02\x00\x01", ""), false},
		{"vectors", module(yield, "\xfd\x0c"), false},
		{"a tail call", module(yield, "\x12\x00"), false},
		{"an operand that is cut", module(yield, "\x44\x00"), false},
		{"a table that is cut", module(yield, "\x0e\xff\xff\xff\xff\x0f"), false},
	} {
		out, err := interruptible(c.in)
		if (err == nil) != c.ok {
			t.Errorf("%s: error %v", c.name, err)
		}
		if err != nil {
			continue
		}
		if err := validate(t, out); err != nil {
			t.Errorf("%s: %v", c.name, err)
		}
	}
}

// TestCompiledLetsCollect runs loops without calls of the host, compiled, and collects garbage meanwhile: that waits
// for all goroutines. The program ends when its context does, in the middle of a loop. The goroutines meet alike in each
// of the programs, so the race detector watches one.
func TestCompiledLetsCollect(t *testing.T) {
	p, err := readProgram(buildSource(t, `package main

import "os"

var (
	n        int
	from, to = make([]byte, 32<<20), make([]byte, 32<<20)
)

func fib(i int) int {
	if i < 2 {
		return i
	}
	return fib(i-1) + fib(i-2)
}

func main() {
	n = len(from) + fib(1)
	println("begun")
	switch os.Args[1] {
	case "computes":
		for {
			n++
		}
	case "copies":
		for {
			copy(to, from)
		}
	case "clears":
		for {
			clear(to)
		}
	case "calls":
		for {
			fib(20)
		}
	}
}
`))
	if err != nil {
		t.Fatal(err)
	}
	l := loaded{Wasm: Wasm{Limits: limits}, program: p, compiled: true} // once, for all of them
	defer l.Close()
	for _, name := range []string{"computes", "copies", "clears", "calls"} {
		if underRace && name != "computes" {
			continue
		}
		t.Run(name, func(t *testing.T) {
			begun := make(chan struct{})
			why := errors.New("the reader left")
			ctx, cancel := context.WithCancelCause(t.Context())
			defer cancel(nil)
			go func() {
				<-begun
				for range 5 {
					runtime.GC()
				}
				cancel(why)
			}()
			l.ran = 0 // each has all of the time
			_, _, err := l.run(ctx, run{
				args: []string{"prog", name}, meter: &execution.Meter{Left: 1 << 10}, clock: newClock(),
				stdout: new(bytes.Buffer), stderr: beginning{begun},
			})
			if !errors.Is(err, why) {
				t.Errorf("error %v", err)
			}
		})
	}
}

// A beginning closes a channel when something is written to it.
type beginning struct{ begun chan struct{} }

func (b beginning) Write(p []byte) (int, error) {
	select {
	case <-b.begun:
	default:
		close(b.begun)
	}
	return len(p), nil
}

// FuzzInterruptible proves that if wazero accepts a module, it also accepts the module made from it.
func FuzzInterruptible(f *testing.F) {
	for _, code := range []string{"", "\x03\x40\x0c\x00\x0b", "\x41\x00\x41\x00\x41\x08\xfc\x0a\x00\x00",
		"\x41\x00\x0e\x02\x00\x00\x00", "\x02\x40\x03\x40\x41\x01\x0d\x01\x0c\x00\x0b\x0b"} {
		f.Add([]byte(code))
	}
	f.Fuzz(func(t *testing.T, code []byte) {
		in := module(yield, string(code[:min(len(code), 80)])) // sizes of one byte
		out, err := interruptible(in)
		if err != nil || validate(t, in) != nil {
			return
		}
		if err := validate(t, out); err != nil {
			t.Fatalf("%x becomes %x: %v", in, out, err)
		}
	})
}
