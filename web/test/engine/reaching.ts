// Programs that gain access to the JavaScript around them. Package syscall/js is not available, but Go's compiler lets
// any program declare the functions that the package imports.

const BRIDGE = `package main

import (
	"math"
	"time"
)

//go:wasmimport gojs syscall/js.stringVal
func stringVal(x string) uint64

//go:wasmimport gojs syscall/js.valueGet
func valueGet(v uint64, p string) uint64

//go:wasmimport gojs syscall/js.valueSet
func valueSet(v uint64, p string, x uint64)

//go:wasmimport gojs syscall/js.valueCall
func valueCall(v uint64, m string, args []uint64) (uint64, bool)

//go:wasmimport gojs syscall/js.valueNew
func valueNew(v uint64, args []uint64) (uint64, bool)

//go:wasmimport gojs syscall/js.valuePrepareString
func valuePrepareString(v uint64) (uint64, int)

//go:wasmimport gojs syscall/js.valueLoadString
func valueLoadString(v uint64, b []byte)

const global = 0x7FF80001_00000005

func get(v uint64, p string) uint64 { return valueGet(v, p) }

func number(x float64) uint64 { return math.Float64bits(x) }

// text returns String(v).
func text(v uint64) string {
	s, _ := valueCall(global, "String", []uint64{v})
	s, n := valuePrepareString(s)
	b := make([]byte, n)
	valueLoadString(s, b)
	return string(b)
}

func call(v uint64, m string, args ...uint64) uint64 {
	r, ok := valueCall(v, m, args)
	if !ok {
		println(m + ": " + text(r))
	}
	return r
}

func object(class string, args ...uint64) uint64 {
	r, ok := valueNew(get(global, class), args)
	if !ok {
		println(class + ": " + text(r))
	}
	return r
}

func list(values ...uint64) uint64 { return call(get(global, "Array"), "of", values...) }

func record(fields map[string]uint64) uint64 {
	r := object("Object")
	for name, value := range fields {
		valueSet(r, name, value)
	}
	return r
}

func url(script string) uint64 {
	return call(get(global, "URL"), "createObjectURL", object("Blob", list(stringVal(script)), record(map[string]uint64{"type": stringVal("text/javascript")})))
}

// told runs a script in a worker of the program's own and returns the first message that it posts.
func told(script string) uint64 {
	kept := list()
	worker := object("Worker", url(script))
	valueSet(worker, "onmessage", call(get(kept, "push"), "bind", kept))
	for text(get(kept, "length")) == "0" {
		time.Sleep(time.Millisecond)
	}
	return get(get(kept, "0"), "data")
}

var _ = []any{record, number, told}
`;

/** Returns a program whose main function executes these statements over the bridge. */
export function reaches(statements: string): string {
  return `${BRIDGE}\nfunc main() {\n${statements}\n}\n`;
}

/**
 * Returns a program that runs a script in a worker of its own, where any JavaScript can run, and prints what the script
 * posts.
 */
export function scripted(script: string): string {
  return reaches(`\tprintln(text(told(${JSON.stringify(script)})))`);
}
