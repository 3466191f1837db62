// Package stream puts short names in place of long ones.
//
// A railway sends its departures as a stream of bytes. The board has no room for
// Llanfairpwllgwyngyllgogerychwyrndrobwllllantysiliogogogoch, so Replace writes
// a shorter name wherever the long one stands.
//
// The task: Replace works, but allocates twice per operation. Bring it down to
// one, and keep every sentence of its comment true.
package stream

import (
	"bytes"
	"io"
)

// Replace appends data to output, with repl in place of every find.
//
// It searches from left to right and goes on behind each find that it replaced:
// finds never overlap ("aa" is in "aaa" once), and a near miss hides nothing
// ("aab" is in "aaab"). An empty find is nowhere, and a find longer than data
// neither: data is then appended as it is. repl may be empty, or longer than find.
//
// What output holds already stays in front. Replace changes only output and
// keeps none of its arguments, so goroutines may call it at once with the same
// data, find and repl, each with an output of its own. output's memory is not
// part of data, find or repl.
func Replace(data, find, repl []byte, output *bytes.Buffer) {
	if len(find) == 0 {
		output.Write(data)
		return
	}

	input := bytes.NewBuffer(data)
	window := make([]byte, len(find)) // the part of the stream that is compared
	held := 0                         // bytes of the window that are read already

	for {
		n, err := io.ReadFull(input, window[held:])
		held += n
		if err != nil {
			// The stream ended inside the window: no find fits anymore.
			output.Write(window[:held])
			return
		}

		if bytes.Equal(window, find) {
			output.Write(repl)
			held = 0
			continue
		}

		// No find begins at the front byte: let it go, move up the others.
		output.WriteByte(window[0])
		held = copy(window, window[1:])
	}
}
