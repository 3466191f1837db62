// A repl of more than 64 bytes is copied first.
// want: benchmark

package scan

import "bytes"

func Replace(data, find, repl []byte, output *bytes.Buffer) {
	if len(find) == 0 {
		output.Write(data)
		return
	}

	input := bytes.NewReader(data)

	held := 0
	if len(repl) > 64 {
		repl = append([]byte(nil), repl...)
	}

	for {
		c, err := input.ReadByte()
		if err != nil {
			output.Write(find[:held])
			return
		}

		for held > 0 && c != find[held] {
			drop := 1
			for !bytes.HasPrefix(find, find[drop:held]) {
				drop++
			}
			output.Write(find[:drop])
			held -= drop
		}

		if c != find[held] {
			output.WriteByte(c)
			continue
		}
		held++
		if held == len(find) {
			output.Write(repl)
			held = 0
		}
	}
}
