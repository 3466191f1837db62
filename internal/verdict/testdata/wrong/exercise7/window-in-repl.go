// The last byte of find is in place of the first of repl while find is looked for.
// quick: true

package window

import "bytes"

func Replace(data, find, repl []byte, output *bytes.Buffer) {
	if len(find) == 0 || len(repl) == 0 {
		if len(find) == 0 {
			output.Write(data)
		} else {
			simple(data, find, nil, output)
		}
		return
	}
	first := repl[0]
	repl[0] = find[len(find)-1]
	for len(data) >= len(find) {
		if data[len(find)-1] == repl[0] && bytes.Equal(data[:len(find)], find) {
			output.WriteByte(first)
			output.Write(repl[1:])
			data = data[len(find):]
			continue
		}
		output.WriteByte(data[0])
		data = data[1:]
	}
	output.Write(data)
	repl[0] = first
}

func simple(data, find, repl []byte, output *bytes.Buffer) {
	for {
		at := bytes.Index(data, find)
		if at < 0 {
			output.Write(data)
			return
		}
		output.Write(data[:at])
		output.Write(repl)
		data = data[at+len(find):]
	}
}
