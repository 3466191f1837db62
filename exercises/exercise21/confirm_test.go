package sheet_test

import (
	"bytes"
	"strings"
	"testing"

	"onthestack/exercises/exercise21"
)

// BenchmarkRowConfirmAny writes texts of any length, plain and quoted, as a string and as bytes, and
// no two alike.
func BenchmarkRowConfirmAny(b *testing.B) {
	r := newRand(b)
	const longest = 512 << 10
	texts := make([]string, 500)
	for i := range texts {
		switch {
		case i == 0:
			texts[i] = strings.Repeat("x", longest-r.IntN(64<<10))
		case i%100 == 99:
			texts[i] = strings.Repeat("x", 64<<10+anySize(r, longest-64<<10))
		case i%2 == 0:
			texts[i] = strings.Repeat("x", anySize(r, 4<<10))
		default:
			texts[i] = randomText(r, 1+anySize(r, 1<<10))
		}
	}
	// Each cell ends in a number, which is another one whenever its turn comes.
	cells, wants := make([][]byte, len(texts)), make([][]byte, len(texts))
	for i, text := range texts {
		cells[i] = []byte(text + "00")
		wants[i] = []byte(cellOf(text) + "," + cellOf(text+"00"))
	}
	row, quote := make([]byte, 0, 6*longest), []byte(`"`)

	for i := 0; b.Loop(); i++ {
		text, cell, want := texts[i%len(texts)], cells[i%len(texts)], wants[i%len(texts)]
		end := cell[len(cell)-2:]
		end[0], end[1] = byte('0'+i/7%10), byte('0'+i%10)
		number := bytes.TrimSuffix(want, quote)
		copy(number[len(number)-2:], end)
		row = sheet.AppendString(row[:0], text)
		row = sheet.AppendBytes(row, cell)
		if !bytes.Equal(row, want) {
			b.Fatalf("wrong row\n  text: %.80q\n  cell: %.80q\n  got:  %.300q\n  want: %.300q", text, cell, row, want)
		}
	}
}
