// A repl is cut at 4 KiB.

package stream

import "bytes"

func Replace(data, find, repl []byte, output *bytes.Buffer) {
	if len(find) == 0 {
		output.Write(data)
		return
	}
	input := bytes.NewBuffer(data)
	window := make([]byte, len(find))
	held := 0
	for {
		n, _ := input.Read(window[held:])
		held += n
		if held < len(window) {
			output.Write(window[:held])
			return
		}
		if bytes.Equal(window, find) {
			output.Write(repl[:min(len(repl), 4<<10)])
			held = 0
			continue
		}
		output.WriteByte(window[0])
		held = copy(window, window[1:])
	}
}
