// The window is the part of data that was read already, and is put back at the end. Goroutines that share data see it.
// only: native

package window

import "bytes"

func Replace(data, find, repl []byte, output *bytes.Buffer) {
	if len(find) == 0 {
		output.Write(data)
		return
	}
	for len(data) >= len(find) {
		// A mark in data, for as long as the comparison takes.
		first := data[0]
		data[0] ^= find[0]
		same := data[0] == 0 && bytes.Equal(data[1:len(find)], find[1:])
		data[0] = first
		if same {
			output.Write(repl)
			data = data[len(find):]
			continue
		}
		output.WriteByte(first)
		data = data[1:]
	}
	output.Write(data)
}
