// A file that has WriteByte is written byte by byte.

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

	if w, ok := j.out.(io.ByteWriter); ok {
		for _, c := range frame {
			if err := w.WriteByte(c); err != nil {
				return err
			}
		}
		return nil
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
