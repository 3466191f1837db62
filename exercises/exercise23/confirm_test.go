package notice_test

import (
	"io"
	"slices"
	"strconv"
	"testing"

	"onthestack/exercises/exercise23"
)

// BenchmarkFillConfirmAny fills notices of all kinds, of any length up to some KiB.
func BenchmarkFillConfirmAny(b *testing.B) {
	r := newRand(b)
	fillings := make([]filling, 300)
	for i := range fillings {
		fillings[i] = newFilling(r, anySize(r, 2<<10))
	}
	confirm(b, fillings)
}

// BenchmarkFillConfirmLong fills notices that are too long for a buffer in a frame.
func BenchmarkFillConfirmLong(b *testing.B) {
	r := newRand(b)
	var fillings []filling
	for range 24 {
		fillings = append(fillings, newFilling(r, 4<<10+anySize(r, 8<<10)))
	}
	// One is longer than any variable in a frame. It is not the first, whose bytes count as allocated ahead.
	confirm(b, append(fillings, filling{"{}", []any{letters(r, 130<<10+r.IntN(16<<10))}}))
}

// confirm measures notices of which each begins with another number whenever its turn comes, and shows them.
func confirm(b *testing.B, fillings []filling) {
	const zone = 2
	screen := notice.New(io.Discard, zones[zone])
	var numbers [1000]any
	var texts [len(numbers)]string
	for i := range numbers {
		numbers[i] = int64(1e6 + i)
		texts[i] = strconv.Itoa(1e6 + i)
	}
	rests := make([]string, len(fillings)) // of the notices, behind the number
	for i := range fillings {
		f := &fillings[i]
		rests[i] = noticeOf(zones[zone], f.template, f.values)
		f.template, f.values = "{}"+f.template, slices.Insert(f.values, 0, numbers[0])
		show(b, screen, f.template+" and more", f.values)
	}

	for i := 0; b.Loop(); i++ {
		f, rest, n := &fillings[i%len(fillings)], rests[i%len(fillings)], i/len(fillings)*7%len(numbers)
		f.values[0] = numbers[n]
		got, err := screen.Fill(f.template, f.values)
		if err == nil {
			err = screen.Show(got)
		}
		if text := texts[n]; err != nil || len(got) != len(text)+len(rest) || got[:len(text)] != text ||
			got[len(text):] != rest {
			b.Fatalf("wrong notice\n  template: %.200q\n  got:      %.300q, error %v\n  want:     %s%.300q, error <nil>",
				f.template, got, err, text, rest)
		}
	}
}
