// Package stream replaces a pattern in a stream of bytes.
package stream

import (
	"bytes"
	"io"
)

// ANCHOR: replace

// A Replacer keeps its reader and its window from one call to the next.
// It is not for use by several goroutines at once.
type Replacer struct {
	input  bytes.Buffer
	window []byte
}

// Replace copies data to output with repl in the place of every find.
// It looks at len(find) bytes at a time. An empty find is found nowhere.
func (r *Replacer) Replace(data, find, repl []byte, output *bytes.Buffer) {
	size := len(find)
	if size == 0 {
		output.Write(data)
		return
	}

	r.input = *bytes.NewBuffer(data)
	defer func() { r.input = bytes.Buffer{} }() // do not hold on to the caller's data
	if cap(r.window) < size {
		r.window = make([]byte, size)
	}
	window := r.window[:size]
	filled := 0

	for {
		n, err := io.ReadFull(&r.input, window[filled:])
		filled += n
		if err != nil {
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
