// Data of more than 4 KiB is copied first.
// want: benchmark

package stream

import "bytes"

func Replace(data, find, repl []byte, output *bytes.Buffer) {
	if len(find) == 0 {
		output.Write(data)
		return
	}

	if len(data) > 4096 {
		data = append([]byte(nil), data...)
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
			output.Write(repl)
			held = 0
			continue
		}

		output.WriteByte(window[0])
		held = copy(window, window[1:])
	}
}
