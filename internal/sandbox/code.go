package sandbox

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"os"
)

// Limits on the size of a program, which bound the memory and the time that it takes to load. Neither of wazero's
// engines has such limits, and both take far more for one large function than for many small ones. The table has
// measurements of a process that only loads one program: its peak memory and its processor time. The compiler uses two
// cores, if there are as many. For an empty main the Go linker writes 1.1 MiB of code.
//
//	                                     code, KiB            interpreter     compiler
//	                                  all  largest function   MB      s       MB     s
//	a check's tests                  3127         49         118    0.3      109   1.6
//	go vet                           8508         77         294    0.7      237   4.3
//	the go command                  16948         61         568    1.2      361   8.1
//	92 functions alike              12199        133         386    0.9      373  10.7
//	46 functions alike              12344        266         396    1.0      522  11.4
//	22 functions alike              10115        422         353    1.0      675   9.6
//	5 functions alike                7915       1422         306    1.7     1826  10.7
//	one function of map assignments  1368        248          85    0.2      169   0.9
//	                                 1520        400         110    0.3      253   1.2
//	                                 2323       1203         218    1.0      702   2.6
//	                                 3559       2437         363    1.4     1396   5.0
//	one function of concatenations   3949       2836         460    2.2     1796   8.0
//
// The interpreter keeps about 32 bytes for each byte of code, and needs 100 more for each byte of the largest function
// while it translates that one. The compiler keeps about 20 bytes for each byte of code, and needs about 500 more for
// each byte of the functions that it compiles at the same time (compileWorkers). Within these limits both stay at about
// 400 MB. The interpreter then takes less than 2 s, the compiler about 11 s on one core.
const (
	maxBinary = 32 << 20 // bytes of a file; hello world has 2.5 MB
	// maxCode bounds the bytes of all functions plus three times the bytes of the largest function. Hello world has 1.6
	// MB, an HTTP server 7 MB.
	maxCode = 12 << 20
	// maxCompiled bounds the bytes of each function of a program that is compiled. In a program with net/http, go/types
	// and html/template, the largest function has 60 KiB.
	maxCompiled = 128 << 10
)

// A program is the content of a binary.
type program struct {
	code    []byte
	size    codeSize
	refused string // why it cannot be run at all, "" if it can
}

// compilable reports whether every function is small enough for the compiler.
func (p program) compilable() bool { return p.size.largest <= maxCompiled }

// readProgram reads a binary. If the file is too large or is not WebAssembly, the program has refused set; this is not
// an error.
func readProgram(binary string) (program, error) {
	info, err := os.Stat(binary)
	if err != nil {
		return program{}, fmt.Errorf("read the program: %w", err)
	}
	if info.Size() > maxBinary {
		return program{refused: fmt.Sprintf("built, it has more than %d MiB", maxBinary>>20)}, nil
	}
	code, err := os.ReadFile(binary)
	if err != nil {
		return program{}, fmt.Errorf("read the program: %w", err)
	}
	p := program{code: code}
	if p.size, err = sizeOf(code); err != nil {
		p.refused = err.Error()
	} else if s := p.size; s.total+3*s.largest > maxCode {
		p.refused = fmt.Sprintf("built, it has %.1f MiB of code, of which %.1f MiB are in one function; "+
			"%d MiB can be run, where the largest function counts four times",
			float64(s.total)/(1<<20), float64(s.largest)/(1<<20), maxCode>>20)
	}
	return p, nil
}

// A codeSize is the size in bytes of a WebAssembly binary's code: of all functions, and of the largest.
type codeSize struct{ total, largest int }

// The first bytes of a WebAssembly binary: its magic number and version.
const preamble = "\x00asm\x01\x00\x00\x00"

var errNoWasm = errors.New("it is not WebAssembly")

// sizeOf measures the code of a WebAssembly binary. It reads only the lengths of sections and functions, and does not
// validate the code.
func sizeOf(binary []byte) (size codeSize, err error) {
	err = sections(binary, func(id byte, section []byte) error {
		if id != codeSection {
			return nil
		}
		size.total += len(section)
		functions, section, ok := cutNumber(section)
		for ; ok && functions > 0; functions-- {
			var function []byte
			function, section, ok = cutSized(section)
			size.largest = max(size.largest, len(function))
		}
		if !ok {
			return errNoWasm
		}
		return nil
	})
	if err != nil {
		return codeSize{}, err
	}
	return size, nil
}

// sections calls f with the number and the content of each section of a WebAssembly binary, up to the first error.
func sections(binary []byte, f func(id byte, section []byte) error) error {
	rest, ok := bytes.CutPrefix(binary, []byte(preamble))
	for ok && len(rest) > 0 {
		id := rest[0]
		var section []byte
		if section, rest, ok = cutSized(rest[1:]); ok {
			if err := f(id, section); err != nil {
				return err
			}
		}
	}
	if !ok {
		return errNoWasm
	}
	return nil
}

// cutNumber decodes an unsigned 32-bit LEB128 number at the beginning of p.
func cutNumber(p []byte) (n uint32, rest []byte, ok bool) {
	v, length := binary.Uvarint(p)
	if length <= 0 || length > binary.MaxVarintLen32 || v > 1<<32-1 {
		return 0, nil, false
	}
	return uint32(v), p[length:], true
}

// cutSized decodes a length at the beginning of p, and returns as many bytes after it.
func cutSized(p []byte) (content, rest []byte, ok bool) {
	size, p, ok := cutNumber(p)
	if !ok || uint64(size) > uint64(len(p)) {
		return nil, nil, false
	}
	return p[:size], p[size:], true
}
