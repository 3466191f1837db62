package logfmt_test

import (
	"io"
	"slices"
	"strings"
	"testing"
	"time"

	"onthestack/exercises/exercise22"
)

// BenchmarkLineConfirmAny writes records of all kinds, of any length up to some KiB, and no
// two of them alike.
func BenchmarkLineConfirmAny(b *testing.B) {
	r := newRand(b)
	records := make([]record, 200)
	for i := range records {
		records[i] = anyRecord(r, 1, anySize(r, 12), anySize(r, 2<<10))
	}
	confirm(b, records, nil)
}

// BenchmarkLineConfirmMany writes records of many fields.
func BenchmarkLineConfirmMany(b *testing.B) {
	r := newRand(b)
	records := make([]record, 100)
	for i := range records {
		records[i] = anyRecord(r, 1, 12+anySize(r, 100), 0)
	}
	confirm(b, records, nil)
}

// BenchmarkLineConfirmAfterErrors writes records each of which comes after one that cannot be written, at
// no cost: what Line borrows is back after that, too.
func BenchmarkLineConfirmAfterErrors(b *testing.B) {
	r := newRand(b)
	records := make([]record, 50)
	for i := range records {
		records[i] = anyRecord(r, 1, r.IntN(12), anySize(r, 500))
	}
	confirm(b, records, []logfmt.Field{{"key", string(letters(r, 40))}, {"fails", hook{do: func() error {
		return errRefused
	}}}})
}

// confirm measures lines of records, each of which has another time whenever its turn comes. Before
// each there may be fields that cannot be written.
func confirm(b *testing.B, records []record, refused []logfmt.Field) {
	var conns [10]*logfmt.Conn // by their digits
	for digits := range conns {
		conns[digits] = warmConn(b, digits, records)
	}
	rests := make([]string, len(records)) // of the lines, behind the time
	for i, rec := range records {
		digits := i % len(conns)
		rests[i] = lineOf(digits, rec.at, rec.event, rec.fields)[len(stampOf(digits, rec.at)):]
	}
	stamp := make([]byte, 0, 100)

	for i := 0; b.Loop(); i++ {
		rec, rest, digits := &records[i%len(records)], rests[i%len(records)], i%len(records)%len(conns)
		conn := conns[digits]
		if refused != nil {
			if _, err := conn.Line(rec.at, rec.event, refused); err != errRefused {
				b.Fatalf("wrong error of a record that cannot be written\n  got:  %v\n  want: %v", err, errRefused)
			}
			if i%100 == 50 { // the error of a value that is not allowed is new memory, which does not count
				b.StopTimer()
				if _, err := conn.Line(rec.at, rec.event, []logfmt.Field{{"no such value", struct{}{}}}); err == nil {
					b.Fatal("a line of a value that is not allowed")
				}
				b.StartTimer()
			}
		}
		rec.at = rec.at.Add(time.Second + 1)
		stamp = rec.at.AppendFormat(stamp[:0], layouts[digits])
		line, err := conn.Line(rec.at, rec.event, rec.fields)
		if err != nil || len(line) != len(stamp)+len(rest) || line[:len(stamp)] != string(stamp) ||
			line[len(stamp):] != rest {
			b.Fatalf("wrong line\n  got:  %.300q, error %v\n  want: %s%.300q, error <nil>", line, err, stamp, rest)
		}
	}
}

// warmConn returns a connection that has been in use: fields have failed, with an error and with a
// panic, and it has written and sent longer lines than the records need.
func warmConn(b *testing.B, digits int, records []record) *logfmt.Conn {
	conn := logfmt.NewConn(io.Discard, digits)
	meetTypes(b, conn)
	for _, do := range []func() error{func() error { return errRefused }, func() error { panic(errRefused) }} {
		func() {
			defer func() { recover() }()
			conn.Line(noon, "fails", []logfmt.Field{{"fails", hook{do: do}}})
		}()
	}
	for _, rec := range records {
		longer := slices.Concat(rec.fields, []logfmt.Field{{"later", strings.Repeat("x", 40)}})
		line, err := conn.Line(rec.at, rec.event, longer)
		if err == nil {
			err = conn.Send(line)
		}
		if err != nil {
			b.Fatal(err)
		}
	}
	return conn
}
