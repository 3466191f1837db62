// The first byte of find is changed while find is looked for, and put back. Goroutines that share find see it.
// only: native

package stream

import "bytes"

func Replace(data, find, repl []byte, output *bytes.Buffer) {
	if len(find) == 0 {
		output.Write(data)
		return
	}
	input := bytes.NewBuffer(data)
	window := make([]byte, len(find))
	first := find[0]
	find[0] = ^first
	defer func() { find[0] = first }()
	held := 0
	for {
		n, _ := input.Read(window[held:])
		held += n
		if held < len(window) {
			output.Write(window[:held])
			return
		}
		if window[0] == ^find[0] && bytes.Equal(window[1:], find[1:]) {
			output.Write(repl)
			held = 0
			continue
		}
		output.WriteByte(window[0])
		held = copy(window, window[1:])
	}
}
