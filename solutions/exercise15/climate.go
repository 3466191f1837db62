// The task: checkalloc task exercise15

// Package climate reads the sensor board of a greenhouse,
// which is on a two-wire bus with pumps and valves.
package climate

import (
	"encoding/binary"
	"sync"
)

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

// usual is how many registers a transaction has room for
// inside the Board.
const usual = 8

// A Board is a sensor board.
//
// Changed: what Do is given must be on the heap, since the
// compiler cannot see which Do it is. But it need not be
// new in each call. The Board is on the heap already, and
// the transaction, its messages and their bytes are parts
// of it now. They take the place of three allocations per
// Read.
//
// The cost: every Board is some 600 bytes larger, used
// or not, and must not be copied, which vet checks because
// of the Mutex.
type Board struct {
	bus  Bus
	addr uint16

	mu       sync.Mutex // held as long as the fields below are in use
	t        Transaction
	messages [2 * usual]Message
	wire     [3 * usual]byte
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

	// Changed: all calls share the fields of the Board, so
	// they take turns. From before the first byte is
	// written until the last value has been taken out, no
	// other call may use them.
	b.mu.Lock()
	defer b.mu.Unlock()

	// Changed: an array has a fixed size. Slices of length
	// 0 have its capacity, which append fills. For more
	// readings than usual, both are made as before.
	//
	// The transaction is used again, so each call sets all
	// of its fields. The length of Messages hides what an
	// earlier, longer transaction left.
	t := &b.t
	t.Addr = b.addr
	t.Messages = b.messages[:0]
	wire := b.wire[:0]
	if len(readings) > usual {
		t.Messages = make([]Message, 0, 2*len(readings))
		wire = make([]byte, 0, 3*len(readings))
	}
	for i, r := range readings {
		wire = append(wire, r.Register, 0, 0)
		part := wire[3*i : 3*i+3]
		t.Messages = append(t.Messages,
			Message{Data: part[:1]},
			Message{Data: part[1:], Fill: true})
	}

	err := b.bus.Do(t)
	t.Messages = nil // do not keep the slice of a large transaction
	if err != nil {
		return err
	}

	for i := range readings {
		value := wire[3*i+1 : 3*i+3]
		readings[i].Value = binary.BigEndian.Uint16(value)
	}
	return nil
}
