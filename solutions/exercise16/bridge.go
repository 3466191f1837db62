// The task: checkalloc task exercise16

// Package bridge tells the displays on a ship's bridge
// what the ship's instruments measure.
package bridge

import (
	"io"
	"strconv"
	"sync"
)

// usual is the capacity of a new line, kept the largest
// capacity of a line that goes back to the Pool.
const (
	usual = 128
	kept  = 4096
)

// A Talker sends sentences to displays. All instruments
// share one, each in a goroutine of its own.
//
// Changed: a Write behind an interface may keep what it is
// given, so the line has to be on the heap. One line inside
// the Talker would be no help: a second Send would write
// over it while the first one's Write is under way. A mutex
// would make the second wait, and forever if that Write
// calls it. So there are as many lines as there are calls
// at once, and a Pool keeps those that are free.
type Talker struct {
	lines sync.Pool // of *[]byte
}

// NewTalker returns a Talker.
func NewTalker() *Talker {
	t := &Talker{}
	// Changed: this makes a line when the Pool is empty.
	// The garbage collector may empty it any time.
	t.lines.New = func() any {
		line := make([]byte, 0, usual)
		return &line
	}
	return t
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
	// Changed: the Pool holds pointers. Get and Put use an
	// any, whose data word can hold a pointer. A []byte is
	// three words, so every Put would allocate a box of 24
	// bytes for it.
	line := t.lines.Get().(*[]byte)

	// [:0], since the sentence of an earlier call is still in
	// it. Stored back, since append may have grown it.
	*line = appendSentence((*line)[:0], kind, values)
	_, err := w.Write(*line)

	// Put after the Write: from here on the line is another
	// call's. The cost: nothing checks this order, or
	// the size. Without the limit, one long line would stay
	// in the Pool as long as it is in use.
	if cap(*line) <= kept {
		t.lines.Put(line)
	}
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
