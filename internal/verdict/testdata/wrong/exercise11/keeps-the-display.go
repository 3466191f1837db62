// The Talker keeps the last display.

package bridge

import (
	"io"
	"strconv"
	"sync"
)

const (
	usual = 128
	kept  = 4096
)

type Talker struct {
	lines sync.Pool // of *[]byte
	mu    sync.Mutex
	last  io.Writer
}

func NewTalker() *Talker {
	t := &Talker{}
	t.lines.New = func() any {
		line := make([]byte, 0, usual)
		return &line
	}
	return t
}

func (t *Talker) Send(w io.Writer, kind string, values []int) error {
	line := t.lines.Get().(*[]byte)

	*line = appendSentence((*line)[:0], kind, values)
	t.mu.Lock()
	t.last = w
	t.mu.Unlock()
	_, err := w.Write(*line)

	if cap(*line) <= kept {
		t.lines.Put(line)
	}
	return err
}

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
