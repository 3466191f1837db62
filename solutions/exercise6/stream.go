// The task: checkalloc task exercise6

// Package stream puts short names in place of long ones.
package stream

import "bytes"

// Replace appends data to output, with repl in place of
// each occurrence of the pattern find, from left to right:
// "aa" is in "aaa" once. An empty pattern occurs nowhere.
//
// Replace changes only output and keeps none of its
// arguments. Goroutines may call it at once, each with an
// output of its own.
func Replace(data, find, repl []byte, output *bytes.Buffer) {
	if len(find) == 0 {
		output.Write(data)
		return
	}

	// NewBuffer is inlined, so this function makes the Buffer itself. Nothing
	// below lets its address out: the compiler now reports that &bytes.Buffer{...}
	// does not escape, and its 48 bytes are part of this stack frame.
	input := bytes.NewBuffer(data)

	// This one still allocates. It does not escape either, but its size is known
	// only when the program runs: exercise7.
	window := make([]byte, len(find))
	held := 0

	for {
		// Changed: io.ReadFull takes an io.Reader, and a call through an interface
		// could lead to any Read method, even to one that keeps what it is given.
		// So the compiler had to move input to the heap. Here the method is known,
		// and the compiler has seen that it keeps neither input nor the window.
		n, _ := input.Read(window[held:])
		held += n

		// The cost: Read promises less than ReadFull. At the end of the stream
		// it may fill a part of the window and report no error. A loop that waits
		// for an error would compare old bytes that are still in the window. A
		// Buffer reads short only when it runs empty: a window that is not full
		// means the end.
		if held < len(window) {
			output.Write(window[:held])
			return
		}

		if bytes.Equal(window, find) {
			output.Write(repl)
			held = 0
			continue
		}

		output.WriteByte(window[0])
		held = copy(window, window[1:])
	}
}
