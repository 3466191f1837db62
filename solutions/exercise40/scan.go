// The task: checkalloc task exercise40

// Package scan puts short names in place of long ones,
// one byte at a time.
package scan

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

	// Changed: pour took an io.ByteReader, so the Reader had to be on the heap. Now its
	// own methods are called, and it stays here: "&bytes.Reader{...} does not escape".
	input := bytes.NewReader(data)

	// Changed: name was a copy of find, made only to be compared. Bytes can
	// be compared as they are.
	//
	// Changed: held was a slice of 16 bytes that append grew, to 32, 64, 128, 256
	// bytes, each time in a new array. But bytes are held back only as long as they are
	// the first bytes of find. So find[:held] is what held contained, and the
	// number is all that has to be kept.
	held := 0

	// Changed: the function that took the bytes is the body of the loop now. Behind
	// an io.ByteWriter the compiler lost sight of it: "func literal escapes to
	// heap", and with it the variable that it captured by reference, "moved to
	// heap: held".
	for {
		c, err := input.ReadByte()
		if err != nil {
			output.Write(find[:held])
			return
		}

		// Give up as few bytes as possible: the others must begin find again,
		// and c must go on from there.
		for held > 0 && c != find[held] {
			drop := 1
			for !bytes.HasPrefix(find, find[drop:held]) {
				drop++
			}
			output.Write(find[:drop])
			held -= drop
		}

		if c != find[held] {
			output.WriteByte(c)
			continue
		}
		held++
		if held == len(find) {
			output.Write(repl)
			held = 0
		}
	}
	// The cost: Replace and its way to read the stream are one piece of code
	// now. pour could be tested alone and used for something else; it was worth
	// its allocations in a program that needs that more than speed.
}
