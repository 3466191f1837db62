package execution

import (
	"encoding/binary"
	"iter"
	"math"
)

// A Piece is what a program in a page printed at once.
type Piece struct {
	Kind string // Stdout or Stderr
	Time int64  // nanoseconds since 1970, from Epoch on
	Text []byte
}

// pieceHead is the size in bytes of what stands before each piece, little-endian: the descriptor in a byte, the time in
// eight, the length in four.
const pieceHead = 1 + 8 + 4

const stderrDescriptor = 2

// Pieces unpacks what a program in a page printed, which web/src/engine/sandbox/output.ts packs. The program may have
// taken over the worker that packs it, so packed can be anything: the pieces end where it is malformed.
func Pieces(packed []byte) iter.Seq[Piece] {
	return func(yield func(Piece) bool) {
		for len(packed) >= pieceHead {
			p := Piece{Kind: Stdout, Time: int64(min(binary.LittleEndian.Uint64(packed[1:]), math.MaxInt64))}
			if packed[0] == stderrDescriptor {
				p.Kind = Stderr
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
