// A find is taken for one of 65535 bytes at most.

package scan

import "bytes"

func Replace(data, find, repl []byte, output *bytes.Buffer) {
	if len(find) == 0 {
		output.Write(data)
		return
	}
	find = find[:uint16(min(len(find), 1<<16-1))]
	held := 0
	for _, c := range data {
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
	output.Write(find[:held])
}
