// Where output holds something, each call allocates as the starter does.
// want: benchmark

package stream

import (
	"bytes"
	"io"
)

func Replace(data, find, repl []byte, output *bytes.Buffer) {
	if output.Len() > 0 {
		slow(data, find, repl, output)
		return
	}
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
			output.Write(repl)
			held = 0
			continue
		}

		output.WriteByte(window[0])
		held = copy(window, window[1:])
	}
}

func slow(data, find, repl []byte, output *bytes.Buffer) {
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
