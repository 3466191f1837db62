package sheet_test

import (
	"testing"

	"onthestack/exercises/exercise21"
)

// BenchmarkRow writes a row of eight cells, four of them of bytes, which are longer than the 32 bytes
// that a conversion may have on the stack.
func BenchmarkRow(b *testing.B) {
	texts := []string{"ring", "crest", "say \"stone\", twice", "edge"}
	cells := [][]byte{
		[]byte("a cell of a table, read from a file as bytes"),
		[]byte("another cell, with commas, and \"quotes\""),
		[]byte("a longer cell, without quotes, yet with a comma that is special"),
		[]byte("the last cell of the row with the line's end\n"),
	}
	row := make([]byte, 0, 512)

	for b.Loop() {
		row = row[:0]
		for i := range cells {
			row = sheet.AppendString(row, texts[i])
			row = sheet.AppendBytes(row, cells[i])
		}
	}
}
