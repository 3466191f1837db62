// Package frame sends messages over a line.
package frame

import "io"

// ANCHOR: send

// A Link sends frames: a start byte, the length, the message and two bytes of checksum. It is
// not for use by several goroutines at once.
type Link struct {
	line io.Writer

	scratch [64]byte // for the frame that is being sent
}

// NewLink returns a Link over line.
func NewLink(line io.Writer) *Link { return &Link{line: line} }

// Send sends one message of up to 255 bytes.
func (l *Link) Send(message []byte) error {
	n := len(message) + 4
	// ANCHOR: room
	var frame []byte
	if n <= len(l.scratch) {
		frame = l.scratch[:n]
	} else {
		frame = make([]byte, n)
	}
	// ANCHOR_END: room

	frame[0], frame[1] = 0x7e, byte(len(message))
	copy(frame[2:], message)
	sum := uint16(0)
	for _, c := range frame[:n-2] {
		sum = sum*31 + uint16(c)
	}
	frame[n-2], frame[n-1] = byte(sum>>8), byte(sum)
	_, err := l.line.Write(frame)
	return err
}

// ANCHOR_END: send
