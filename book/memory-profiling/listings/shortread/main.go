// Command shortread shows what a careless change from io.ReadFull to Read writes.
package main

import (
	"bytes"
	"fmt"
)

// ANCHOR: careless
func careless(data, find, repl []byte, output *bytes.Buffer) {
	input := bytes.NewBuffer(data)
	window := make([]byte, len(find))
	filled := 0

	for {
		n, err := input.Read(window[filled:])
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

		output.WriteByte(window[0])
		copy(window, window[1:])
		filled = len(window) - 1
	}
}

func main() {
	var output bytes.Buffer
	careless([]byte("PIN 31415."), []byte("31415"), []byte("*****"), &output)
	fmt.Println(output.String())
}

// ANCHOR_END: careless
