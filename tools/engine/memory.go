package main

import (
	"bytes"
	"encoding/binary"
	"errors"
	"slices"
)

// A program of the engine imports its memory under these names, with at least this many bytes in pages of 64 KiB: the
// page bounds the memory, and the compiler and the linker run in one.
const (
	memoryModule = "onthestack"
	memoryName   = "memory"
	memoryPages  = 256
)

// The IDs of sections of a WebAssembly module.
const (
	importSection = 2
	memorySection = 5
)

var errMemory = errors.New("not a program of Go: it has no memory that the page could provide")

// importMemory changes a module so that it imports its memory instead of defining it. Go's linker has no such option.
// The page could change the module, too, but browsers cache the machine code only of a module that they compile as it
// was fetched.
func importMemory(module []byte) ([]byte, error) {
	const header = 8 // the magic number and the version
	out := slices.Clone(module[:min(header, len(module))])
	imports, memory := false, false
	for rest := module[len(out):]; len(rest) > 0; {
		id := rest[0]
		size, n := binary.Uvarint(rest[1:])
		if n <= 0 || uint64(len(rest)-1-n) < size {
			return nil, errMemory
		}
		content := rest[1+n : 1+n+int(size)]
		rest = rest[1+n+int(size):]
		switch id {
		case importSection:
			count, n := binary.Uvarint(content)
			if imports = n > 0; !imports {
				return nil, errMemory
			}
			content = slices.Concat(binary.AppendUvarint(nil, count+1), content[n:], importOfMemory())
		case memorySection:
			// One memory without a maximum, which begins with so many pages.
			pages, n := binary.Uvarint(content[min(2, len(content)):])
			if !bytes.HasPrefix(content, []byte{1, 0}) || n <= 0 || pages > memoryPages {
				return nil, errMemory
			}
			memory = true
			continue
		}
		out = binary.AppendUvarint(append(out, id), uint64(len(content)))
		out = append(out, content...)
	}
	if !imports || !memory {
		return nil, errMemory
	}
	return out, nil
}

// importOfMemory returns the entry of a list of imports that imports the memory.
func importOfMemory() []byte {
	var entry []byte
	for _, name := range []string{memoryModule, memoryName} {
		entry = append(binary.AppendUvarint(entry, uint64(len(name))), name...)
	}
	const kindMemory, noMaximum = 2, 0
	return binary.AppendUvarint(append(entry, kindMemory, noMaximum), memoryPages)
}
