package parcel_test

import (
	"math/rand/v2"
	"strings"
	"testing"

	"onthestack/exercises/exercise26"
)

// usual is how many operations have usual parcels: the checker's figures are over these,
// and a pass is confirmed over many more.
const usual = 1001

// A slot has the last row that was written to it.
type slot struct{ row []byte }

func (s *slot) Write(row []byte) (int, error) {
	s.row = append(s.row[:0], row...)
	return len(row), nil
}

// BenchmarkWrite writes a parcel to one of 50 cities, with another code each time. After the
// usual operations every other parcel is of any kind, to a city with a name of any length.
func BenchmarkWrite(b *testing.B) {
	r := newRand(b)
	var parcels []parcel.Parcel
	for i := range 50 {
		// All are positive and have the same number of digits, so that all rows have the
		// same length.
		p := newParcel(r, 40)
		p.Grams, p.Meters = 1000+r.IntN(9000), 1+float64(i)/10
		parcels = append(parcels, p)
	}
	few := len(parcels)
	if b.N > usual {
		for i := range 150 {
			parcels = append(parcels, newParcel(r, i))
		}
		for n := 256; n <= 32<<10; n *= 2 {
			parcels = append(parcels, newParcel(r, n+1))
		}
	}
	rows := make([]string, len(parcels))
	var s slot
	t := parcel.NewTable(&s)
	// The longest row is longer than that of any parcel: all buffers grow before it begins.
	longest := parcel.Parcel{City: strings.Repeat("x", 400)}
	if len(parcels) > few {
		longest.City = strings.Repeat("x", 33<<10)
	}
	if err := t.Write(longest); err != nil {
		b.Fatal(err)
	}
	const digits = "0123456789abcdef"

	clock := rand.IntN(1e8) // not from r: no call of this function repeats another's data
	for i, p := range parcels {
		rows[i] = row(p)[2*len(p.Code):]
	}
	b.ResetTimer()
	for i := range b.N {
		which := (clock + i) % few
		if i > usual && i%2 == 1 {
			which = few + i/2%(len(parcels)-few)
		}
		p := &parcels[which]
		code := uint64(clock+i) * 0x9e3779b97f4a7c15
		for j := range p.Code {
			p.Code[j] = byte(code >> (3 * j))
		}
		if err := t.Write(*p); err != nil {
			b.Fatal(err)
		}
		right := len(s.row) == 2*len(p.Code)+len(rows[which]) && string(s.row[2*len(p.Code):]) == rows[which]
		for j, c := range p.Code {
			right = right && s.row[2*j] == digits[c>>4] && s.row[2*j+1] == digits[c&15]
		}
		if !right {
			b.Fatalf("wrong row\n  parcel: %.80v\n  got:    %.80q\n  want:   %.80q", *p, s.row, row(*p))
		}
	}
}
