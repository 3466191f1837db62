// The task: checkalloc task exercise40

// Package scan puts short names in place of long ones,
// one byte at a time.
package scan

import (
	"bytes"
	"io"
)

// Replace appends data to output, with repl in place of
// each occurrence of the pattern find, from left to right:
// "aa" is in "aaa" once. An empty pattern occurs nowhere.
//
// Replace changes only output and keeps none of its
// arguments. Goroutines may call it at once, each with an
// output of its own.
func Replace(data, find, repl []byte, output *bytes.Buffer) {
	if len(find) == 0 {
		output.Write(data)
		return
	}

	name := string(find)
	held := make([]byte, 0, 16) // bytes read that name begins with

	pour(bytes.NewReader(data), sink(func(c byte) {
		held = append(held, c)
		if c != name[len(held)-1] {
			// Drop the fewest bytes that leave a beginning of name.
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

// pour writes every byte that it reads.
func pour(from io.ByteReader, to io.ByteWriter) {
	for {
		c, err := from.ReadByte()
		if err != nil || to.WriteByte(c) != nil {
			return
		}
	}
}

// sink makes a function an io.ByteWriter.
type sink func(c byte)

// WriteByte calls s. It never fails.
func (s sink) WriteByte(c byte) error {
	s(c)
	return nil
}
