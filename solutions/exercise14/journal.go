// The task: checkalloc task exercise14

// Package journal writes records to a file so that a
// reader can tell a whole record from a torn one.
package journal

import (
	"encoding/binary"
	"io"
)

// A Journal writes records. It is not for use by several
// goroutines at once, nor by the Write that it calls. Two
// Journals have nothing to do with one another, also when
// they write to the same place.
//
// A Journal is small: between two calls it takes less than
// 4096 bytes, whatever was appended.
type Journal struct {
	out io.Writer

	// Changed: room for the packet of a usual record. It is a part of the Journal and
	// is allocated with it, once. An array in Append's frame would not help:
	// out.Write may keep what it is given, so the array would be moved to the heap,
	// at each call. This one is on the heap already.
	//
	// 208 bytes are the packet of a record of 200. The cost: each Journal has
	// them, whether it needs them or not, and only one call can use them at a time.
	scratch [208]byte
}

// New returns a Journal that writes to out.
func New(out io.Writer) *Journal {
	return &Journal{out: out}
}

// Append writes one record as a packet: the record's length
// in four bytes, the record, zeros, and in the last four
// bytes the checksum of all before them. There are as few
// zeros as make the length of the packet a multiple of 8.
// Numbers are big endian.
//
// The packet is written by one call of out.Write, so that
// packets of several programs do not mix. Append returns
// what that call returns for an error. It neither changes
// nor keeps record, which may be empty.
func (j *Journal) Append(record []byte) error {
	size := (4 + len(record) + 4 + 7) / 8 * 8

	// Changed: the packet is a part of the scratch space if that is large
	// enough, even if it fills it.
	var packet []byte
	if size <= len(j.scratch) {
		packet = j.scratch[:size]
		// make returned zeros; the scratch space still holds the last packet. Nothing
		// below writes the padding, so it has to be cleared.
		clear(packet[4+len(record):])
	} else {
		// Not kept in j: one large record would otherwise occupy its memory for as
		// long as the Journal lives.
		packet = make([]byte, size)
	}

	binary.BigEndian.PutUint32(packet, uint32(len(record)))
	copy(packet[4:], record)
	sum := checksum(packet[:size-4])
	binary.BigEndian.PutUint32(packet[size-4:], sum)

	_, err := j.out.Write(packet)
	return err
}

// checksum returns the 32-bit FNV-1a hash of data.
func checksum(data []byte) uint32 {
	sum := uint32(2166136261)
	for _, c := range data {
		sum = (sum ^ uint32(c)) * 16777619
	}
	return sum
}
