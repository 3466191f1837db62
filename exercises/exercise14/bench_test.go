package journal_test

import (
	"io"
	"strings"
	"testing"

	journal "onthestack/exercises/exercise14"
)

func BenchmarkAppend(b *testing.B) {
	j := journal.New(io.Discard)
	record := []byte(strings.Repeat("door 3 ", 15))

	for b.Loop() {
		if err := j.Append(record); err != nil {
			b.Fatal(err)
		}
	}
}
