// Command demo masks a PIN in the log of a door lock.
package main

import (
	"bytes"
	"fmt"
	"io"
)

// ANCHOR: main
func main() {
	log := []byte("07:58 lock 1 opened with 31415 by card 88\n" +
		"08:01 lock 3 refused 3131415 3141 31425\n" +
		"08:09 lock 2 opened with 3141531415 twice\n" +
		"08:15 lock 1 refused 3141")

	var output bytes.Buffer
	Replace(log, []byte("31415"), []byte("*****"), &output)
	fmt.Println(output.String())
}

// ANCHOR_END: main

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
	window := make([]byte, size)
	filled := 0

	for {
		n, err := io.ReadFull(input, window[filled:])
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
