// The task: checkalloc task exercise15

// Package climate reads the sensor board of a greenhouse,
// which is on a two-wire bus with pumps and valves.
package climate

import "encoding/binary"

// A Message is a part of a transaction: bytes that go to
// the chip, or come from it.
type Message struct {
	Data []byte
	Fill bool // the chip fills Data
}

// A Transaction is carried out as one: no other comes
// between its messages.
type Transaction struct {
	Addr     uint16 // of the chip
	Messages []Message
}

// A Bus carries out transactions, for any number of
// goroutines at once. Once Do has returned it keeps
// nothing of t. Do never calls Read.
type Bus interface {
	Do(t *Transaction) error
}

// A Reading is the value of a register.
type Reading struct {
	Register uint8
	Value    uint16
}

// A Board is a sensor board.
type Board struct {
	bus  Bus
	addr uint16
}

// NewBoard returns the board with that address.
func NewBoard(bus Bus, addr uint16) *Board {
	return &Board{bus: bus, addr: addr}
}

// Read sets the Value of each reading to what is in its
// Register. All come from one transaction, however many
// there are: for each reading a message with the number
// of the register, and one that the chip fills with two
// bytes, the high one first. Without readings the bus is
// left alone.
//
// On an error, which is the bus's own, no Value changes.
// Read keeps no readings. Goroutines may call it at once.
func (b *Board) Read(readings []Reading) error {
	if len(readings) == 0 {
		return nil
	}

	t := &Transaction{Addr: b.addr}
	t.Messages = make([]Message, 0, 2*len(readings))
	// Three bytes for each register: number, value.
	wire := make([]byte, 3*len(readings))
	for i, r := range readings {
		part := wire[3*i : 3*i+3]
		part[0] = r.Register
		t.Messages = append(t.Messages,
			Message{Data: part[:1]},
			Message{Data: part[1:], Fill: true})
	}

	if err := b.bus.Do(t); err != nil {
		return err
	}

	for i := range readings {
		value := wire[3*i+1 : 3*i+3]
		readings[i].Value = binary.BigEndian.Uint16(value)
	}
	return nil
}
