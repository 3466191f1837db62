// A find of more than 256 bytes is not replaced.

package scan

import "bytes"

func Replace(data, find, repl []byte, output *bytes.Buffer) {
	if len(find) == 0 {
		output.Write(data)
		return
	}
	if len(find) > 256 {
		output.Write(data)
		return
	}
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
