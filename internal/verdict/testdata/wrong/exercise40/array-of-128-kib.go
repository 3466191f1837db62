// Right for each find, and on the heap from 128 KiB on, though the task says: for a find of any length.
// want: benchmark

package scan

import "bytes"

func Replace(data, find, repl []byte, output *bytes.Buffer) {
	if len(find) == 0 {
		output.Write(data)
		return
	}
	var room [128 << 10]byte
	held := room[:0]
	for _, c := range data {
		held = append(held, c)
		if c != find[len(held)-1] {
			drop := 1
			for !bytes.HasPrefix(find, held[drop:]) {
				drop++
			}
			output.Write(held[:drop])
			held = held[:copy(held, held[drop:])]
		}
		if len(held) == len(find) {
			output.Write(repl)
			held = held[:0]
		}
	}
	output.Write(held)
}
