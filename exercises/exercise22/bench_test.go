package logfmt_test

import (
	"io"
	"testing"

	"onthestack/exercises/exercise22"
)

// BenchmarkLine writes a record of seven fields. Their texts are longer than the 32 bytes that
// a conversion may have on the stack.
func BenchmarkLine(b *testing.B) {
	rec := newRecord(newRand(b), 0)
	conn := logfmt.NewConn(io.Discard, benchDigits)
	meetTypes(b, conn)

	for b.Loop() {
		if _, err := conn.Line(rec.at, rec.event, rec.fields); err != nil {
			b.Fatal(err)
		}
	}
}

// meetTypes writes many values that append a text of their own. A switch over interface types remembers
// a type that it has met at random, once in a thousand times, for which the runtime allocates.
// That it has not met one after all of these happens once in ten million times.
func meetTypes(b *testing.B, conn *logfmt.Conn) {
	fields := make([]logfmt.Field, 1000)
	for i := range fields {
		fields[i].Value = []any{level("info"), hook{do: func() error { return nil }}}[i%2]
	}
	for range 32 {
		if _, err := conn.Line(noon, "warm", fields); err != nil {
			b.Fatal(err)
		}
	}
}
