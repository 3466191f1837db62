// The task: checkalloc task exercise16

// Package bridge tells the displays on a ship's bridge
// what the ship's instruments measure.
package bridge

import (
	"io"
	"strconv"
)

// A Talker sends sentences to displays. All instruments
// share one, each in a goroutine of its own.
type Talker struct{}

// NewTalker returns a Talker.
func NewTalker() *Talker {
	return &Talker{}
}

// Send writes a sentence to w, in one Write, and returns
// the error of that. The sentence begins with a dollar
// sign and the kind. Each value follows after a comma;
// then come an asterisk, the checksum and the end of the
// line, "\r\n". The checksum is the exclusive or of all
// bytes between dollar sign and asterisk, as two digits:
//
//	$WIND,45,-12*3B
//
// Send keeps none of its arguments. Goroutines may call
// it at once. A Write takes its time, and w may use the
// Talker, too: its Write may call Send, or wait for one
// that another goroutine has called. If it panics, the
// Talker is as good as before.
//
// A sentence may be of any length, but few are long. A
// buffer of more than 4 KiB is not kept for later ones.
func (t *Talker) Send(w io.Writer, kind string, values []int) error {
	sentence := make([]byte, 0, 128)
	sentence = appendSentence(sentence, kind, values)
	_, err := w.Write(sentence)
	return err
}

// appendSentence appends a sentence to line.
func appendSentence(line []byte, kind string, values []int) []byte {
	line = append(line, '$')
	start := len(line)
	line = append(line, kind...)
	for _, v := range values {
		line = append(line, ',')
		line = strconv.AppendInt(line, int64(v), 10)
	}

	var sum byte
	for _, c := range line[start:] {
		sum ^= c
	}
	const digits = "0123456789ABCDEF"
	return append(line, '*', digits[sum>>4], digits[sum&15], '\r', '\n')
}
