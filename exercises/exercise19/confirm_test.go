package logfmt_test

import (
	"io"
	"slices"
	"strings"
	"testing"
	"time"

	"onthestack/exercises/exercise19"
)

// BenchmarkLineConfirmAny writes records of all kinds, of any length up to some KiB, and no
// two of them alike. There is no time among the fields: a buffer may then grow twice.
func BenchmarkLineConfirmAny(b *testing.B) {
	r := newRand(b)
	records := make([]record, 200)
	for i := range records {
		records[i] = anyRecord(r, 0, r.IntN(9), anySize(r, 2<<10))
	}
	confirm(b, records)
}

// BenchmarkLineConfirmMany writes records of many fields, which are short, so that a buffer need not grow
// more often.
func BenchmarkLineConfirmMany(b *testing.B) {
	r := newRand(b)
	records := make([]record, 100)
	for i := range records {
		records[i] = anyRecord(r, 0, 0, 0)
		for range 12 + r.IntN(50) {
			value := []any{nil, true, int64(r.IntN(1000)), "x"}[r.IntN(4)]
			records[i].fields = append(records[i].fields, logfmt.Field{Name: "n", Value: value})
		}
	}
	confirm(b, records)
}

// confirm measures lines of records, each of which has another time whenever its turn comes.
func confirm(b *testing.B, records []record) {
	// With fewer digits a layout may be on the stack, and such lines would pay for others.
	var conns [3]*logfmt.Conn
	for i := range conns {
		conns[i] = warmConn(b, 7+i, records)
	}
	rests := make([]string, len(records)) // of the lines, behind the time
	for i, rec := range records {
		digits := 7 + i%len(conns)
		rests[i] = lineOf(digits, rec.at, rec.event, rec.fields)[len(stampOf(digits, rec.at)):]
	}
	stamp := make([]byte, 0, 100)

	for i := 0; b.Loop(); i++ {
		rec, rest, digits := &records[i%len(records)], rests[i%len(records)], 7+i%len(records)%len(conns)
		conn := conns[digits-7]
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
