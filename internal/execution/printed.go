package execution

import (
	"encoding/binary"
	"iter"
	"math"
)

// A Piece is one write of a program in a page or in a Recording. In a Log it is all that becomes one Event.
type Piece struct {
	Kind string // Stdout or Stderr; in a Recording also Report
	Time int64  // nanoseconds since 1970, from Epoch on
	Text []byte
}

// Report is the Kind of a Piece that a program did not print, but sent on the channel beside its streams.
const Report = "report"

// A Recording is the run of a program that reports about itself while it runs.
type Recording struct {
	// Pieces are what the program printed and what it reported, in order, one Piece for each write. The reports are as
	// untrusted as the output: the program itself may have written them.
	Pieces []Piece
	Exit   int // exit code
	Stop   Stop
}

// pieceHead is the size in bytes of the header of each piece: the file descriptor (1 byte), the time (8) and the length
// of the text (4). Numbers are little-endian.
const pieceHead = 1 + 8 + 4

// The descriptors of pieces that are not stdout. web/src/engine/sandbox-client.ts knows reportDescriptor.
const (
	stderrDescriptor = 2
	reportDescriptor = 3
)

// Pieces decodes the output of a program in a page, which web/src/engine/sandbox/output.ts encodes. The program may
// control the worker that encodes it, so packed is untrusted: the sequence ends where packed is malformed. A recording
// has reports of the program too.
func Pieces(packed []byte, reports bool) iter.Seq[Piece] {
	return func(yield func(Piece) bool) {
		for len(packed) >= pieceHead {
			p := Piece{Kind: Stdout, Time: int64(min(binary.LittleEndian.Uint64(packed[1:]), math.MaxInt64))}
			switch {
			case packed[0] == stderrDescriptor:
				p.Kind = Stderr
			case packed[0] == reportDescriptor && reports:
				p.Kind = Report
			}
			p.Time = max(p.Time, Epoch)
			n := binary.LittleEndian.Uint32(packed[9:])
			packed = packed[pieceHead:]
			if uint64(n) > uint64(len(packed)) {
				return
			}
			p.Text, packed = packed[:n], packed[n:]
			if !yield(p) {
				return
			}
		}
	}
}
