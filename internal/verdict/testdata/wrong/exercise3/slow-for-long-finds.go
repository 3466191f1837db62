// A find of more than 300 bytes is replaced as the starter does it.
// want: benchmark

package scan

import (
	"bytes"
	"io"
)

func Replace(data, find, repl []byte, output *bytes.Buffer) {
	if len(find) > 300 && len(find) < 4096 {
		slow(data, find, repl, output)
		return
	}
	if len(find) == 0 {
		output.Write(data)
		return
	}

	input := bytes.NewReader(data)

	held := 0

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

func slow(data, find, repl []byte, output *bytes.Buffer) {
	if len(find) == 0 {
		output.Write(data)
		return
	}

	name := string(find)
	var held []byte // bytes read that name begins with

	pour(bytes.NewReader(data), sink(func(c byte) {
		held = append(held, c)
		if c != name[len(held)-1] {
			drop := 1
			for string(held[drop:]) != name[:len(held)-drop] {
				drop++
			}
			output.Write(held[:drop])
			held = held[:copy(held, held[drop:])]
		}
		if len(held) == len(name) {
			output.Write(repl)
			held = held[:0]
		}
	}))

	output.Write(held)
}

func pour(from io.ByteReader, to io.ByteWriter) {
	for {
		c, err := from.ReadByte()
		if err != nil || to.WriteByte(c) != nil {
			return
		}
	}
}

type sink func(c byte)

func (s sink) WriteByte(c byte) error {
	s(c)
	return nil
}
