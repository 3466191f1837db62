package parcel_test

import (
	"io"
	"math"
	"testing"

	"onthestack/exercises/exercise35"
)

// BenchmarkWriteConfirmParcels writes parcels of all kinds, with numbers of any size.
func BenchmarkWriteConfirmParcels(b *testing.B) {
	r := newRand(b)
	parcels := make([]parcel.Parcel, 1009)
	for i := range parcels {
		parcels[i] = newParcel(r, newSize(r, 200)-1)
		switch i % 10 {
		case 0:
			parcels[i].Meters = math.Float64frombits(r.Uint64())
		case 1:
			parcels[i].Meters = float64(int(parcels[i].Meters)) / 8
		}
	}
	writeEach(b, parcels)
}

// BenchmarkWriteConfirmCities writes parcels to cities with names of all lengths.
func BenchmarkWriteConfirmCities(b *testing.B) {
	r := newRand(b)
	var parcels []parcel.Parcel
	for range 5 {
		for _, n := range newSizes(r, 90_000) {
			parcels = append(parcels, newParcel(r, n))
		}
	}
	writeEach(b, parcels)
}

// writeEach writes a parcel in each operation. The table has written the one with the
// longest row.
func writeEach(b *testing.B, parcels []parcel.Parcel) {
	longest := parcels[0]
	for _, p := range parcels {
		if len(row(p)) > len(row(longest)) {
			longest = p
		}
	}
	t := parcel.NewTable(io.Discard)
	t.Write(longest)
	i := 0
	for b.Loop() {
		if err := t.Write(parcels[i%len(parcels)]); err != nil {
			b.Fatal(err)
		}
		i++
	}
}
