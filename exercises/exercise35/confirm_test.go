package parcel_test

import (
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

// writeEach writes a parcel in each operation, and compares its row. The table has written the one with the longest row.
func writeEach(b *testing.B, parcels []parcel.Parcel) {
	wants, longest := make([]string, len(parcels)), 0
	for i, p := range parcels {
		if wants[i] = row(p); len(wants[i]) > len(wants[longest]) {
			longest = i
		}
	}
	w := &receiver{}
	t := parcel.NewTable(w)
	t.Write(parcels[longest])
	for i := 0; b.Loop(); i++ {
		at := i % len(parcels)
		*w = receiver{want: wants[at]}
		if err := t.Write(parcels[at]); err != nil || w.right != 1 || w.calls != 1 {
			b.Fatalf("wrong row in the benchmark\n  got:  %d calls of w.Write, %d of them right, error %v\n  want: %.80q",
				w.calls, w.right, err, wants[at])
		}
	}
}

// A receiver compares rows with what must come.
type receiver struct {
	want         string
	calls, right int
}

func (r *receiver) Write(row []byte) (int, error) {
	r.calls++
	if string(row) == r.want {
		r.right++
	}
	return len(row), nil
}
