// The task: checkalloc task exercise6

// Package stream puts short names in place of long ones.
package stream

import (
	"bytes"
	"io"
)

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
	window := make([]byte, len(find)) // what is compared
	held := 0                         // bytes read into it

	for {
		n, err := io.ReadFull(input, window[held:])
		held += n
		if err != nil {
			// The stream ended: no match fits anymore.
			output.Write(window[:held])
			return
		}

		if bytes.Equal(window, find) {
			output.Write(repl)
			held = 0
			continue
		}

		// No match begins at the front byte: let it go.
		output.WriteByte(window[0])
		held = copy(window, window[1:])
	}
}
