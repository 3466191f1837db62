// A file that has WriteString gets large records as a string.

package journal

import (
	"encoding/binary"
	"io"
)

type Journal struct {
	out io.Writer

	scratch [208]byte
}

func New(out io.Writer) *Journal {
	return &Journal{out: out}
}

func (j *Journal) Append(record []byte) error {
	size := (4 + len(record) + 4 + 7) / 8 * 8

	var frame []byte
	if size <= len(j.scratch) {
		frame = j.scratch[:size]
		clear(frame[4+len(record):])
	} else {
		frame = make([]byte, size)
	}

	binary.BigEndian.PutUint32(frame, uint32(len(record)))
	copy(frame[4:], record)
	sum := checksum(frame[:size-4])
	binary.BigEndian.PutUint32(frame[size-4:], sum)

	if w, ok := j.out.(io.StringWriter); ok && size > 208 {
		_, err := w.WriteString(string(frame[:size/2]))
		if err == nil {
			_, err = w.WriteString(string(frame[size/2:]))
		}
		return err
	}
	_, err := j.out.Write(frame)
	return err
}

func checksum(data []byte) uint32 {
	sum := uint32(2166136261)
	for _, c := range data {
		sum = (sum ^ uint32(c)) * 16777619
	}
	return sum
}
