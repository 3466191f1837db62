package counts

import "strconv"

// Objects under 16 bytes without pointers share blocks of 16, of which the memory profile records those who open one. The count is
// the runtime's own all the same. What is in bytes is what they take of a block.

func TinyWord() { wordSink = new(int64) } // 1 alloc, 8 B

func TinyByte() { byteSink = new(byte) } // 1 alloc, 0.992 B

func TinySlice() { bytesSink = make([]byte, 5) } // 1 alloc, 5.328 B

func TinyBoxed() { anySink = large } // 1 alloc, 8 B

func TinyTwo() {
	wordSink = new(int64)  // 1 alloc, 8 B, shared in TinyTwo
	otherSink = new(int64) // 1 alloc, 8 B, shared in TinyTwo
}

// An array of 16 bytes has a block of its own, which the profile cannot tell from a block of tiny objects by its size.
// There is one in each operation, though, while every second word opens a block.
func TinyAndWhole() {
	wordSink = new(int64)    // 1 alloc, 8 B
	pairSink = new([2]int64) // 1 alloc, 16 B
}

// The callee's are never the ones to open a block.
func TinyBesideCallee() {
	wordSink = new(int64)             // 1 alloc, 8 B, shared in TinyBesideCallee
	stringSink = strconv.Itoa(-large) // 1 alloc, 8 B, shared in TinyBesideCallee
}

// A line of other objects takes no part.
func TinyAndOther() {
	wordSink = new(int64)  // 1 alloc, 8 B
	pointSink = new(point) // 1 alloc, 32 B
}

func TinyInCallee() {
	wordSink = word()
}

//go:noinline
func word() *int64 {
	return new(int64) // 1 alloc, 8 B
}
