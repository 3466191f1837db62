// Package spi exchanges bytes with a chip on a serial bus.
package spi

import "errors"

// ANCHOR: device

// A Segment describes one exchange: Data goes out, and what comes back
// takes its place.
type Segment struct {
	Data []byte
	Hz   uint32 // clock
	Bits uint8  // in a word
	Hold bool   // keep the chip selected until the next segment
}

// A Device carries out segments in their order. It keeps none of what it
// is given.
type Device interface {
	Exchange(segments []Segment) error
}

// ANCHOR_END: device

// ANCHOR: port

// A Port is a socket for one chip.
type Port struct {
	name string
	dev  Device
	conn *Conn // nil until connected
}

// A Conn is the connection to a port's chip.
type Conn struct {
	port *Port
	hz   uint32
	bits uint8
}

// ANCHOR_END: port

// Open returns the port of that name.
func Open(name string, dev Device) *Port {
	return &Port{name: name, dev: dev}
}

// ANCHOR: connect

// Connect sets the clock and the word size. A port is connected once.
func (p *Port) Connect(hz uint32, bits uint8) (*Conn, error) {
	if p.conn != nil {
		return nil, errors.New("spi: " + p.name + " is connected")
	}
	p.conn = &Conn{port: p, hz: hz, bits: bits}
	return p.conn, nil
}

// ANCHOR_END: connect

// ANCHOR: transfer

// Transfer sends data to the chip and puts the answer in its place.
// Goroutines may call it at once.
func (c *Conn) Transfer(data []byte) error {
	// ANCHOR: segments
	segments := [1]Segment{{Data: data, Hz: c.hz, Bits: c.bits}}
	return c.port.dev.Exchange(segments[:])
	// ANCHOR_END: segments
}

// ANCHOR_END: transfer

// ANCHOR: all

// TransferAll does the same for several frames. The chip stays selected
// from the first to the last.
func (c *Conn) TransferAll(frames [][]byte) error {
	segments := make([]Segment, len(frames))
	for i, data := range frames {
		hold := i+1 < len(frames)
		segments[i] = Segment{Data: data, Hz: c.hz, Bits: c.bits, Hold: hold}
	}
	return c.port.dev.Exchange(segments)
}

// ANCHOR_END: all

// ErrFrame is a Tank's answer to a frame that it does not understand.
var ErrFrame = errors.New("tank: a frame is 1, the gauge's number and a zero")

// A Tank stands in for the chip at the other end of the wires, which reads
// the water gauges of a tank.
type Tank struct {
	Levels [8]uint16 // what the gauges show, in millimeters
}

// Exchange answers each frame with the level of the gauge that it names.
func (t *Tank) Exchange(segments []Segment) error {
	for _, s := range segments {
		if len(s.Data) != 3 || s.Data[0] != 1 || s.Data[2] != 0 {
			return ErrFrame
		}
		if int(s.Data[1]) >= len(t.Levels) {
			return ErrFrame
		}
		level := t.Levels[s.Data[1]]
		s.Data[1] = byte(level >> 8)
		s.Data[2] = byte(level)
	}
	return nil
}
