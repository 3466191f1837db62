// The task: checkalloc task exercise7

// Package window puts short names in place of long ones,
// through a window that is as long as the name.
package window

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

	input := bytes.NewBuffer(data)

	// Changed: the frame of a function has one size, fixed when it is
	// compiled. An array of 64 bytes fits into that, a slice of len(find)
	// bytes does not; the compiler by itself sets aside no more than 32
	// bytes. The array can be in the frame because nobody keeps the window:
	// Read, Write, Equal and copy only use it. If one of them kept it, the
	// compiler would say "moved to heap: room" and nothing would be gained.
	var room [64]byte
	window := room[:]
	if len(find) <= len(room) {
		window = room[:len(find)]
	} else {
		// Only a name that is longer than expected pays for a window, and it is
		// still replaced. This make still "does not escape", and still allocates.
		window = make([]byte, len(find))
	}
	// The cost: 64 bytes of every frame, cleared at each call, used or not,
	// and a number that somebody has to choose.

	held := 0
	for {
		n, _ := input.Read(window[held:])
		held += n
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
