package sandbox

import (
	"encoding/binary"
	"errors"
)

// Compiled code can only be interrupted where it calls the host: to end the program, and for Go's garbage collector,
// which waits for every goroutine. Wazero can add such a call to each iteration of a loop. Loops then take ten times as
// long: 46 ns for an addition instead of 4. interruptible adds a counter instead, which calls the host each
// interruptEvery iterations. WebAssembly engines call this fuel.

const (
	// interruptEvery is the number of iterations between two calls of the host, a few microseconds.
	interruptEvery = 4096
	// copiedPerIteration is the binary logarithm of how many bytes that are copied or filled by one instruction count
	// as an iteration: copying them takes about as long.
	copiedPerIteration = 10
)

// The host function that code calls to be interrupted. Every Go program imports it, for runtime.osyield.
const (
	interruptModule   = "wasi_snapshot_preview1"
	interruptFunction = "sched_yield"
)

// Sections of a WebAssembly binary.
const (
	importSection = 2
	globalSection = 6
	codeSection   = 10
)

// Instructions of WebAssembly.
const (
	opNop          = 0x01 // after unreachable
	opBlock        = 0x02
	opLoop         = 0x03
	opIf           = 0x04
	opElse         = 0x05
	opEnd          = 0x0b
	opBr           = 0x0c
	opBrIf         = 0x0d
	opBrTable      = 0x0e
	opReturn       = 0x0f
	opCall         = 0x10
	opCallIndirect = 0x11
	opDrop         = 0x1a
	opSelect       = 0x1b
	opSelectTyped  = 0x1c
	opLocalGet     = 0x20
	opGlobalGet    = 0x23
	opGlobalSet    = 0x24
	opTableSet     = 0x26
	opFirstMemory  = 0x28 // loads and stores
	opLastMemory   = 0x3e
	opI32Const     = 0x41
	opI64Const     = 0x42
	opF32Const     = 0x43
	opF64Const     = 0x44
	opFirstNumeric = 0x45
	opI32LtS       = 0x48
	opI32Sub       = 0x6b
	opI32ShrU      = 0x76
	opLastNumeric  = 0xc4
	opRefNull      = 0xd0
	opRefIsNull    = 0xd1
	opRefFunc      = 0xd2
	opPrefix       = 0xfc // of two-byte instructions
	opMemoryCopy   = 10
	opMemoryFill   = 11
	opLastPrefixed = 17

	voidBlock = 0x40
	i32Type   = 0x7f
	mutable   = 1
)

// errNotInterruptible is the error for a binary that has no call to be interrupted by, or an instruction that Go does
// not emit.
var errNotInterruptible = errors.New("the code cannot be interrupted")

// interruptible returns a WebAssembly binary with a counter in each loop, and at each instruction that copies or fills
// memory.
func interruptible(module []byte) ([]byte, error) {
	out := append(make([]byte, 0, len(module)+len(module)/8), preamble...)
	var c counter
	found := false
	err := sections(module, func(id byte, section []byte) (err error) {
		switch id {
		case importSection:
			c.call, found = importedFunction(section)
		case globalSection:
			n, globals, ok := cutNumber(section)
			if !ok {
				return errNoWasm
			}
			// The index of the first of the two counts all globals before, and Go's linker imports none.
			c.left, c.size = n, n+1
			section = appendNumber(make([]byte, 0, len(section)+16), n+2)
			section = append(section, globals...)
			for range 2 {
				section = append(section, i32Type, mutable, opI32Const, 0, opEnd)
			}
		case codeSection:
			if !found || c.size == 0 {
				return errNotInterruptible
			}
			section, err = c.addToAll(section)
		}
		out = append(appendNumber(append(out, id), uint32(len(section))), section...)
		return err
	})
	return out, err
}

// importedFunction returns the index of the function to be interrupted by. It is not found if the module imports
// something other than functions.
func importedFunction(section []byte) (index uint32, found bool) {
	n, section, ok := cutNumber(section)
	for i := uint32(0); ok && i < n; i++ {
		var module, name []byte
		if module, section, ok = cutSized(section); !ok {
			break
		}
		if name, section, ok = cutSized(section); !ok || len(section) == 0 || section[0] != 0 {
			return 0, false
		}
		if _, section, ok = cutNumber(section[1:]); !ok {
			break
		}
		if string(module) == interruptModule && string(name) == interruptFunction {
			index, found = i, true
		}
	}
	return index, found && ok
}

// A counter counts down in a global.
type counter struct {
	call uint32 // the index of the function to call
	left uint32 // the index of the global
	size uint32 // the index of another one, for the size of a copy
}

// addToAll adds the counter to all functions of a code section.
func (c counter) addToAll(section []byte) ([]byte, error) {
	n, section, ok := cutNumber(section)
	if !ok {
		return nil, errNoWasm
	}
	out := appendNumber(make([]byte, 0, len(section)+len(section)/8), n)
	var body []byte
	for range n {
		var function []byte
		if function, section, ok = cutSized(section); !ok {
			return nil, errNoWasm
		}
		var err error
		if body, err = c.add(body[:0], function); err != nil {
			return nil, err
		}
		out = appendNumber(out, uint32(len(body)))
		out = append(out, body...)
	}
	return append(out, section...), nil
}

// add appends a function with the counter to out.
func (c counter) add(out, function []byte) ([]byte, error) {
	code := function
	locals, code, ok := cutNumber(code)
	for ; ok && locals > 0; locals-- {
		if _, code, ok = cutNumber(code); ok && len(code) > 0 {
			code = code[1:] // the type
		}
	}
	if !ok {
		return nil, errNoWasm
	}
	out = append(out, function[:len(function)-len(code)]...)
	for len(code) > 0 {
		n := instructionLength(code)
		if n <= 0 || n > len(code) {
			return nil, errNotInterruptible
		}
		instruction := code[:n]
		code = code[n:]
		switch {
		case instruction[0] == opLoop:
			out = append(out, instruction...)
			out = c.countDown(out, opI32Const, 1)
		case instruction[0] == opPrefix && (instruction[1] == opMemoryCopy || instruction[1] == opMemoryFill):
			// The size is on top of the stack, and stays there.
			out = appendNumber(append(out, opGlobalSet), c.size)
			out = appendNumber(append(out, opGlobalGet), c.size)
			size := appendNumber([]byte{opGlobalGet}, c.size)
			out = c.countDown(out, append(size, opI32Const, copiedPerIteration, opI32ShrU)...)
			out = append(out, instruction...)
		default:
			out = append(out, instruction...)
		}
	}
	return out, nil
}

// countDown appends code that subtracts a number, which other code leaves on the stack, from what is left. If that is
// less than nothing, it calls the host, and begins anew.
func (c counter) countDown(out []byte, number ...byte) []byte {
	out = appendNumber(append(out, opGlobalGet), c.left)
	out = append(append(out, number...), opI32Sub)
	out = appendNumber(append(out, opGlobalSet), c.left)
	out = appendNumber(append(out, opGlobalGet), c.left)
	out = append(out, opI32Const, 0, opI32LtS, opIf, voidBlock)
	out = appendSigned(append(out, opI32Const), interruptEvery)
	out = appendNumber(append(out, opGlobalSet), c.left)
	out = appendNumber(append(out, opCall), c.call)
	return append(out, opDrop, opEnd)
}

// instructionLength returns the length of the first instruction of some code in bytes. It is larger than the code or 0
// if the code ends before or has an instruction that Go does not emit.
func instructionLength(code []byte) int {
	n := 1
	numbers := 0 // that follow, in LEB128
	switch op := code[0]; {
	case op == opBlock, op == opLoop, op == opIf, op == opBr, op == opBrIf, op == opCall,
		op >= opLocalGet && op <= opTableSet, op > opLastMemory && op <= opI64Const, op == opRefNull, op == opRefFunc:
		numbers = 1
	case op == opCallIndirect, op >= opFirstMemory && op <= opLastMemory:
		numbers = 2
	case op == opBrTable, op == opSelectTyped:
		targets, rest, ok := cutNumber(code[1:])
		if !ok || int64(targets) > int64(len(code)) {
			return 0
		}
		n, numbers = len(code)-len(rest), int(targets)
		if op == opBrTable {
			numbers++ // the default
		}
	case op == opF32Const:
		n += 4
	case op == opF64Const:
		n += 8
	case op == opPrefix:
		if len(code) < 2 {
			return 0
		}
		n = 2
		switch op := code[1]; {
		case op > opLastPrefixed:
			return 0
		case op == opMemoryCopy, op == 8, op == 12, op == 14: // memory.copy, memory.init, table.init, table.copy
			numbers = 2
		case op > 7: // conversions of numbers come before
			numbers = 1
		}
	case op <= opNop, op == opElse, op == opEnd, op == opReturn, op == opDrop, op == opSelect, op == opRefIsNull,
		op >= opFirstNumeric && op <= opLastNumeric: // without operands
	default:
		return 0
	}
	for ; numbers > 0; numbers-- {
		for {
			if n >= len(code) {
				return 0
			}
			n++
			if code[n-1] < 0x80 {
				break
			}
		}
	}
	return n
}

// appendNumber appends an unsigned number in LEB128.
func appendNumber(out []byte, n uint32) []byte { return binary.AppendUvarint(out, uint64(n)) }

// appendSigned appends a number of at least 0 in signed LEB128.
func appendSigned(out []byte, n uint32) []byte {
	for n >= 0x40 {
		out = append(out, byte(n)|0x80)
		n >>= 7
	}
	return append(out, byte(n))
}
