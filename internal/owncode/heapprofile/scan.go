package heapprofile

import (
	"encoding/binary"
	"errors"
)

// Fields of the message Profile in profile.proto, and of its samples.
const (
	fieldSample      = 2
	fieldLocationIDs = 1
	fieldLabel       = 3
)

var errEncoding = errors.New("its encoding breaks off")

// scan reads the encoding of a profile without decoding it. It returns the number of samples, and an upper bound of the
// memory that the decoded profile takes: a number of one byte becomes an object of up to 24, so that a small file could
// take all memory.
func scan(data []byte) (samples, size int64, err error) {
	err = fields(data, func(number uint64, value []byte) error {
		switch number {
		case fieldSample:
			samples++
			n, err := sampleSize(value)
			size += n
			return err
		case 3, 4, 5, 6: // mappings, locations, functions, strings
			size += 160 + 48*int64(len(value))/2
		default:
			size += 24 + 8*int64(len(value))
		}
		return nil
	})
	return samples, size, err
}

// sampleSize returns the memory that a sample takes: a number and a pointer for each location, and maps for its labels.
func sampleSize(sample []byte) (size int64, err error) {
	size = 160
	err = fields(sample, func(number uint64, value []byte) error {
		switch number {
		case fieldLabel:
			size += 400
		case fieldLocationIDs:
			size += 16 * numbers(value)
		default:
			size += 8 * numbers(value)
		}
		return nil
	})
	return size, err
}

// numbers returns how many numbers a packed field has, 1 for a field with a single number.
func numbers(packed []byte) (n int64) {
	for _, b := range packed {
		if b < 0x80 {
			n++
		}
	}
	return max(1, n)
}

// fields calls f with each field of an encoded message. The value of a number is nil.
func fields(message []byte, f func(number uint64, value []byte) error) error {
	for len(message) > 0 {
		tag, n := binary.Uvarint(message)
		if n <= 0 || tag>>3 == 0 {
			return errEncoding
		}
		message = message[n:]
		var value []byte
		switch tag & 7 {
		case 0:
			if _, n = binary.Uvarint(message); n <= 0 {
				return errEncoding
			}
		case 1:
			n = 8
		case 2:
			length, m := binary.Uvarint(message)
			if m <= 0 || length > uint64(len(message)-m) {
				return errEncoding
			}
			n = m + int(length)
			value = message[m:n]
		case 5:
			n = 4
		default:
			return errEncoding
		}
		if n > len(message) {
			return errEncoding
		}
		message = message[n:]
		if err := f(tag>>3, value); err != nil {
			return err
		}
	}
	return nil
}
