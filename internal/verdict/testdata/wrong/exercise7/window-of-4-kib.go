// A find of more than 4096 bytes panics.

package window

import "bytes"

func Replace(data, find, repl []byte, output *bytes.Buffer) {
	if len(find) == 0 {
		output.Write(data)
		return
	}
	input := bytes.NewBuffer(data)
	var room [4096]byte
	window := room[:len(find)]
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
