package sandbox

import (
	"encoding/binary"
	"errors"
	"fmt"
	"os"
)

// Bounds on how much memory and time making a program ready takes. Neither of wazero's engines has any, and both take far more
// for one large function than for many small ones. Measured: peak memory of a process that only makes one program ready, and its
// processor time. The compiler works on two cores, if it has them. The Go linker writes 1.1 MiB of code for a main that does
// nothing.
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
// The interpreter takes about 32 bytes for each byte of code, which it keeps, and 100 more for each of the largest function while
// it translates that; the compiler some 20, and some 500 for each of the functions it works on at once, which are as many as
// compileWorkers. Within these bounds either stays at about 400 MB, the interpreter below 2 s, the compiler at some 11 s on one core.
const (
	maxBinary   = 32 << 20  // bytes, of a file; Go's hello world has 2.5 MB
	maxCode     = 12 << 20  // bytes, of all functions and three times more of the largest; hello world has 1.6 MB, an HTTP server 7 MB
	maxCompiled = 128 << 10 // bytes, of a function that is compiled; with net/http, go/types and html/template the largest has 60 KiB
)

// A program is a binary, read.
type program struct {
	code    []byte
	size    codeSize
	refused string // why it cannot be run at all, "" if it can
}

// compilable reports whether the compiler may have it.
func (p program) compilable() bool { return p.size.largest <= maxCompiled }

// readProgram reads a binary. One that is too large or no WebAssembly is refused, which is no error.
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

// A codeSize is how much code a WebAssembly binary has, in bytes: all of it, and the largest function.
type codeSize struct{ total, largest int }

// The beginning of a WebAssembly binary, magic number and version, and the id of the section that holds the functions.
const (
	preamble    = "\x00asm\x01\x00\x00\x00"
	codeSection = 10
)

var errNoWasm = errors.New("it is not WebAssembly")

// sizeOf measures the code of a WebAssembly binary. It looks at the lengths of sections and functions only, so that what it
// accepts need not be valid.
func sizeOf(binary []byte) (codeSize, error) {
	var size codeSize
	if len(binary) < len(preamble) || string(binary[:len(preamble)]) != preamble {
		return size, errNoWasm
	}
	for rest := binary[len(preamble):]; len(rest) > 0; {
		id := rest[0]
		section, after, ok := cutSized(rest[1:])
		if !ok {
			return codeSize{}, errNoWasm
		}
		rest = after
		if id != codeSection {
			continue
		}
		size.total += len(section)
		functions, section, ok := cutNumber(section)
		for ; ok && functions > 0; functions-- {
			var function []byte
			function, section, ok = cutSized(section)
			size.largest = max(size.largest, len(function))
		}
		if !ok {
			return codeSize{}, errNoWasm
		}
	}
	return size, nil
}

// cutNumber takes an unsigned LEB128 number of 32 bits from the beginning of p.
func cutNumber(p []byte) (n uint32, rest []byte, ok bool) {
	v, length := binary.Uvarint(p)
	if length <= 0 || length > binary.MaxVarintLen32 || v > 1<<32-1 {
		return 0, nil, false
	}
	return uint32(v), p[length:], true
}

// cutSized takes a number and as many bytes from the beginning of p.
func cutSized(p []byte) (content, rest []byte, ok bool) {
	size, p, ok := cutNumber(p)
	if !ok || uint64(size) > uint64(len(p)) {
		return nil, nil, false
	}
	return p[:size], p[size:], true
}
