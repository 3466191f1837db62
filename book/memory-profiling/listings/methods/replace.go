// Package stream replaces a pattern in a stream of bytes.
package stream

import "bytes"

// ANCHOR: replace

// Replace copies data to output with repl in the place of every find.
// It looks at len(find) bytes at a time. An empty find is found nowhere.
func Replace(data, find, repl []byte, output *bytes.Buffer) {
	size := len(find)
	if size == 0 {
		output.Write(data)
		return
	}

	// The data is read as a stream, through a window as long as the pattern.
	input := bytes.NewBuffer(data)
	// ANCHOR: window
	window := make([]byte, size)
	// ANCHOR_END: window
	filled := 0

	for {
		n, err := input.Read(window[filled:])
		filled += n
		if err != nil || filled < size {
			output.Write(window[:filled])
			return
		}

		if bytes.Equal(window, find) {
			output.Write(repl)
			filled = 0
			continue
		}

		// No match starts at the first byte: pass it on and move up.
		output.WriteByte(window[0])
		copy(window, window[1:])
		filled = size - 1
	}
}

// ANCHOR_END: replace
