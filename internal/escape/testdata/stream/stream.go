// Package stream hands a reader to functions that may keep it.
package stream

import (
	"bytes"
	"io"
)

func replace(data, find, repl []byte, out *bytes.Buffer) {
	input := bytes.NewBuffer(data)
	window := make([]byte, len(find))
	end := len(find) - 1
	if n, err := io.ReadFull(input, window[:end]); err != nil {
		out.Write(window[:n])
		return
	}
	for {
		if _, err := io.ReadFull(input, window[end:]); err != nil {
			out.Write(window[:end])
			return
		}
		if bytes.Equal(window, find) {
			out.Write(repl)
			continue
		}
		out.WriteByte(window[0])
		copy(window, window[1:])
	}
}

type source struct{ r io.Reader }

func (s *source) fill(p []byte) (int, error) { return s.r.Read(p) }

func through(r io.Reader, s *source, f func([]byte)) {
	var small [16]byte
	r.Read(small[:])
	a := make([]byte, 8)
	s.fill(a)
	b := make([]byte, 8)
	f(b)
}

func cat() { cat2(new(bytes.Buffer)) }

func cat2(w io.Writer) { w.Write([]byte("one at two (assign) at stream.go:1:2")) }
