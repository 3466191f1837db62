// Package printed unpacks what a program in a page printed. The bytes are untrusted, because the program can reach the
// worker that packs them: web/src/engine/sandbox/output.ts describes the format.
package printed

import (
	"encoding/binary"
	"iter"
	"math"

	"onthestack/internal/execution"
)

// A Piece is what a program printed to one descriptor at one time.
type Piece struct {
	Kind string // execution.Stdout or execution.Stderr
	Time int64  // nanoseconds since 1970, from execution.Epoch on
	Text []byte
}

// head is the size of a piece's header in bytes, little-endian: descriptor (1), time (8), length (4).
const head = 1 + 8 + 4

const stderr = 2

// Pieces unpacks the pieces in order and stops at the first that is malformed.
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
