package logfmt_test

import (
	"io"
	"math/rand/v2"
	"slices"
	"testing"

	"onthestack/exercises/exercise14"
)

// usual is how many operations have records of the same kind: the checker's figures are
// over these, and a pass is confirmed over many more.
const usual = 1001

// BenchmarkLine writes records whose texts are longer than the 32 bytes that a
// conversion may have on the stack. No two operations have the same data, and
// each line is compared with what must come.
//
// After the usual operations the records have any times, digits, fields and lengths, but
// no time among the fields: a buffer may then grow twice.
func BenchmarkLine(b *testing.B) {
	r := newRand(b)
	records := make([]record, 20)
	for i := range records {
		records[i] = newRecord(r)
	}

	// Warm up: what the connection keeps grows before anything is counted. And a
	// switch over interface types remembers a type that it has met at random, once
	// in a thousand times, for which the runtime allocates.
	var conns [10]*logfmt.Conn // by their digits
	for digits := range conns {
		conns[digits] = logfmt.NewConn(io.Discard, digits)
	}
	conn := conns[benchDigits]
	levels := make([]logfmt.Field, 1000)
	for i := range levels {
		levels[i].Value = level("info")
	}
	for range 16 { // not met after all of these: one in ten million
		if _, err := conn.Line(records[0].at, "warm", levels); err != nil {
			b.Fatal(err)
		}
	}
	for _, rec := range records {
		line, err := conn.Line(rec.at, rec.event, rec.fields)
		if err == nil {
			err = conn.Send(line)
		}
		if err != nil {
			b.Fatal(err)
		}
	}

	var others, long []record
	if b.N > usual {
		others, long = newOthers(r, 0, 2<<10)
	}
	for i, rec := range slices.Concat(others, long) {
		if _, err := conns[i%10].Line(rec.at, rec.event, rec.fields); err != nil {
			b.Fatal(err)
		}
	}

	clock := rand.IntN(1e8) // not from r: no call of this function repeats another's data
	b.ResetTimer()
	for i := range b.N {
		conn, rec := conn, &records[i%len(records)]
		switch {
		case i <= usual:
			rec.set(clock + i)
		case i%500 == 0:
			n := i / 500 % len(long)
			conn, rec = conns[n%10], &long[n]
		default:
			n := i % len(others)
			conn, rec = conns[n%10], &others[n]
		}
		line, err := conn.Line(rec.at, rec.event, rec.fields)
		if err != nil || line != string(rec.want) {
			b.Fatalf("wrong line\n  got:  %.300q, error %v\n  want: %.300q, error <nil>", line, err, rec.want)
		}
	}
}
