// Package scan puts short names in place of long ones, one byte at a time.
//
// The departures of exercise1 once more, the other way around: no window slides
// over the stream, the stream is poured byte by byte into a function. It holds
// bytes back as long as they may be the beginning of a find.
//
// The task: bring Replace down to no allocation, whatever the length of find.
// There is more than one reason to remove, so expect more than one step.
// Everything but the name Replace, its parameters and its comment may change;
// keep every sentence of that comment true.
package scan

import (
	"bytes"
	"io"
)

// Replace appends data to output, with repl in place of every find.
//
// It searches from left to right and goes on behind each find that it replaced:
// finds never overlap ("aa" is in "aaa" once), and a near miss hides nothing
// ("aab" is in "aaab"). An empty find is nowhere, and a find longer than data
// neither: data is then appended as it is. repl may be empty, or longer than find.
//
// What output holds already stays in front. Replace changes only output and
// keeps none of its arguments, so goroutines may call it at once with the same
// data, find and repl, each with an output of its own. output's memory is not
// part of data, find or repl.
func Replace(data, find, repl []byte, output *bytes.Buffer) {
	if len(find) == 0 {
		output.Write(data)
		return
	}

	name := string(find)
	var held []byte // the last bytes read, as many as name begins with

	pour(bytes.NewReader(data), sink(func(c byte) {
		held = append(held, c)
		if c != name[len(held)-1] {
			// Give up as few bytes as possible: the others must begin name again.
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

// pour writes every byte that it reads, until there are no more or one is refused.
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
