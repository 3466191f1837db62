package main

import (
	"bytes"
	"errors"
	"slices"
	"testing"
)

// The parts of a module of Go's linker: a section that only tools read, a list without imports, a memory of two pages,
// and the export of that memory.
var (
	wasmHeader = []byte("\x00asm\x01\x00\x00\x00")
	custom     = []byte{0, 3, 1, 'x', 7}
	noImports  = []byte{2, 1, 0}
	twoPages   = []byte{5, 3, 1, 0, 2}
	exported   = []byte("\x07\x07\x01\x03mem\x02\x00")
)

func TestImportMemory(t *testing.T) {
	got, err := importMemory(slices.Concat(wasmHeader, custom, noImports, twoPages, exported))
	imported := []byte("\x02\x17\x01\x0aonthestack\x06memory\x02\x00\x80\x02")
	if want := slices.Concat(wasmHeader, custom, imported, exported); err != nil || !bytes.Equal(got, want) {
		t.Errorf("got %x, %v, want %x", got, err, want)
	}
}

func TestImportMemoryRefuses(t *testing.T) {
	for name, sections := range map[string][]byte{
		"no memory":          slices.Concat(custom, noImports, exported),
		"no imports":         slices.Concat(custom, twoPages, exported),
		"two memories":       slices.Concat(noImports, []byte{5, 5, 2, 0, 2, 0, 2}),
		"a maximum":          slices.Concat(noImports, []byte{5, 4, 1, 1, 2, 3}),
		"257 pages":          slices.Concat(noImports, []byte{5, 4, 1, 0, 0x81, 2}),
		"a section cut off":  slices.Concat(noImports, twoPages, exported[:4]),
		"a section's length": slices.Concat(noImports, twoPages, exported[:1]),
		"an empty memory":    slices.Concat(noImports, []byte{5, 0}),
		"a list cut off":     slices.Concat([]byte{2, 0}, twoPages),
	} {
		if got, err := importMemory(slices.Concat(wasmHeader, sections)); !errors.Is(err, errMemory) {
			t.Errorf("%s: got %x, %v", name, got, err)
		}
	}
	if _, err := importMemory(wasmHeader[:3]); !errors.Is(err, errMemory) {
		t.Error("a header cut off is accepted")
	}
}
