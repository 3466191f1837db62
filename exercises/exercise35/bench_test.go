package parcel_test

import (
	"io"
	"testing"

	"onthestack/exercises/exercise35"
)

// BenchmarkWrite writes a parcel to Lisbon.
func BenchmarkWrite(b *testing.B) {
	t := parcel.NewTable(io.Discard)
	p := parcel.Parcel{Code: [20]byte{0x01, 0x23, 0x45, 19: 0x67}, City: "Lisbon", Grams: 1250, Meters: 0.75}
	t.Write(p) // the buffers grow
	for b.Loop() {
		t.Write(p)
	}
}
