// Package printed reads what a program in a page printed. It comes from a worker that the program may have taken over, so it may
// be anything: web/src/engine/sandbox/output.ts says how it should be packed.
package printed

import (
	"encoding/binary"
	"iter"
	"math"

	"onthestack/internal/execution"
)

// A Piece is what a program printed at once.
type Piece struct {
	Kind string // execution.Stdout or execution.Stderr
	Time int64  // nanoseconds since 1970, from execution.Epoch on
	Text []byte
}

// head is what stands before each piece, little-endian: the descriptor in a byte, the time in eight, the length in
// four.
const head = 1 + 8 + 4

const stderr = 2

// Pieces unpacks what was printed, as far as it is packed as it should be.
func Pieces(packed []byte) iter.Seq[Piece] {
	return func(yield func(Piece) bool) {
		for len(packed) >= head {
			p := Piece{Kind: execution.Stdout, Time: int64(min(binary.LittleEndian.Uint64(packed[1:]), math.MaxInt64))}
			if packed[0] == stderr {
				p.Kind = execution.Stderr
			}
			p.Time = max(p.Time, execution.Epoch)
			n := binary.LittleEndian.Uint32(packed[9:])
			packed = packed[head:]
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
