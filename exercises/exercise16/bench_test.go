package sheet_test

import (
	"math/rand/v2"
	"strings"
	"testing"

	"onthestack/exercises/exercise16"
)

// usual is how many operations have rows of the same kind: the checker's figures are over
// these, and a pass is confirmed over many more.
const usual = 1001

// A row is one input of the benchmark and what must come of it.
type row struct {
	texts []string // as strings and, if given is not nil, as bytes
	given [][]byte
	want  []byte
}

func newRow(texts ...string) row {
	rec := row{texts: texts, given: make([][]byte, len(texts))}
	for i, text := range texts {
		if i > 0 {
			rec.want = append(rec.want, ',')
		}
		rec.want = append(rec.want, cellOf(text)...)
		if i%2 == 1 {
			rec.given[i] = []byte(text)
		}
	}
	return rec
}

// BenchmarkRow writes rows of eight cells, four of them of bytes, which are longer than the
// 32 bytes that a conversion may have on the stack. No two operations have the same data,
// and each row is compared with what must come.
//
// After the usual operations every other row has texts of any length.
func BenchmarkRow(b *testing.B) {
	r := newRand(b)
	letters := func(n int) string {
		text := make([]byte, n)
		for i := range text {
			text[i] = byte('a' + r.IntN(26))
		}
		return string(text)
	}
	const noNumber = "00000000"
	few := newRow(letters(9), noNumber+letters(40), letters(40),
		letters(30)+`,"`+letters(8), letters(8)+", "+letters(8), letters(60), letters(3), letters(33)+"\n")
	wantNumber := few.want[len(few.texts[0])+1:][:len(noNumber)]

	var others []row
	if b.N > usual {
		for i := range 600 {
			others = append(others,
				newRow(randomText(r, 200), randomText(r, 200), randomText(r, 40), randomText(r, 40)))
			if i%75 == 0 {
				n := []int{
					0, 1, 32, 64 + r.IntN(1024), 4 << 10, 32<<10 + 1, 64<<10 + 1, 128<<10 + 1 + r.IntN(1<<10),
				}[i/75]
				text := strings.Repeat("x", n)
				others = append(others, newRow(text, text, text+`"`, text+","))
			}
		}
	}

	buf := make([]byte, 0, 1<<20)
	clock := rand.IntN(1e8) // not from r: no call of this function repeats another's data
	b.ResetTimer()
	for i := range b.N {
		rec := &few
		if i > usual && i%2 == 1 {
			rec = &others[i/2%len(others)]
		} else {
			for j, n := 0, clock+i; j < len(noNumber); j++ {
				few.given[1][j] = byte('0' + n%10)
				wantNumber[j] = few.given[1][j]
				n /= 10
			}
		}
		buf = buf[:0]
		for j, text := range rec.texts {
			if rec.given[j] != nil {
				buf = sheet.AppendBytes(buf, rec.given[j])
			} else {
				buf = sheet.AppendString(buf, text)
			}
		}
		if string(buf) != string(rec.want) {
			b.Fatalf("wrong row\n  got:  %.300q\n  want: %.300q", buf, rec.want)
		}
	}
}
