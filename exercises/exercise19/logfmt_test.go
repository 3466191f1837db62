package logfmt_test

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"math"
	"runtime"
	"runtime/debug"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"
	"unsafe"
	"weak"

	"onthestack/exercises/exercise19"
)

var noon = time.Date(2015, 2, 19, 12, 0, 5, 250117999, time.UTC)

// check calls Line and compares everything that its comment promises.
func check(t *testing.T, conn *logfmt.Conn, digits int, at time.Time, event string, fields []logfmt.Field) {
	t.Helper()
	const call = "\n  digits: %d\n  at:     %v\n  event:  %.80q\n  fields: %s"
	want := lineOf(digits, at, event, fields)

	// After each []byte lie bytes that are none of Line's business.
	given := slices.Clone(fields)
	for i := range given {
		if text, ok := given[i].Value.([]byte); ok && text != nil {
			given[i].Value = append(bytes.Clone(text), "|behind|"...)[:len(text)]
		}
	}
	got, err := conn.Line(at, event, given)
	if err != nil {
		t.Fatalf("Line returns an error"+call+"\n  got:    error %v\n  want:   error <nil>", digits, at, event,
			few(fields), err)
	}
	for i := range given {
		text, ok := given[i].Value.([]byte)
		if !ok || text == nil {
			continue
		}
		whole := text[:len(text)+len("|behind|")]
		if !bytes.Equal(text, fields[i].Value.([]byte)) || string(whole[len(text):]) != "|behind|" {
			t.Fatalf("Line changes the text of field %d, or bytes after it\n  got:  %.80q\n"+
				"  want: %.80q, and \"|behind|\"", i, whole, fields[i].Value)
		}
		// From here on the caller uses the slice for something else.
		for j := range whole {
			whole[j] = '#'
		}
	}
	if got != want {
		from := 0
		for from < min(len(got), len(want)) && got[from] == want[from] {
			from++
		}
		shown := max(0, from-20)
		t.Fatalf("wrong line, from byte %d on, shown from byte %d on"+call+"\n  got:    %.300q\n  want:   %.300q",
			from, shown, digits, at, event, few(fields), got[shown:], want[shown:])
	}
}

// few is what a failure says of fields: of many the first ones.
func few(fields []logfmt.Field) string {
	if len(fields) > 20 {
		return fmt.Sprintf("%.300q", fields[:20]) + " …"
	}
	return fmt.Sprintf("%.300q", fields)
}

func TestLine(t *testing.T) {
	for _, test := range []struct {
		digits int
		event  string
		fields []logfmt.Field
		want   string
	}{
		{0, "start", nil, "2015-02-19T12:00:05Z start"},
		{3, "start", []logfmt.Field{}, "2015-02-19T12:00:05.250Z start"},
		{9, "two words", []logfmt.Field{{"n", int64(-1)}}, `2015-02-19T12:00:05.250117999Z "two words" n=-1`},
		{0, "", []logfmt.Field{{"a", ""}, {"b", []byte{}}, {"c", []byte(nil)}, {"d", nil}},
			`2015-02-19T12:00:05Z "" a="" b="" c="" d=null`},
		{0, "e", []logfmt.Field{{"ok", true}, {"ok", false}, {"x", -0.5}, {"x", 1e300}},
			"2015-02-19T12:00:05Z e ok=true ok=false x=-0.5 x=1e+300"},
		{0, "e", []logfmt.Field{{"n", int64(math.MinInt64)}, {"x", math.NaN()}, {"x", math.Inf(1)}},
			"2015-02-19T12:00:05Z e n=-9223372036854775808 x=NaN x=+Inf"},
		{0, "e", []logfmt.Field{{"x", 7.0}, {"x", -1e6}, {"x", 1e20}, {"x", 1e21}, {"x", 1e-5}, {"x", math.Inf(-1)}},
			"2015-02-19T12:00:05Z e x=7 x=-1e+06 x=1e+20 x=1e+21 x=1e-05 x=-Inf"},
		{0, "e", []logfmt.Field{{"x", 0.0}, {"x", math.Copysign(0, -1)}, {"x", 0x1p53}, {"x", 123456789.0}, {"x", 0.0001}},
			"2015-02-19T12:00:05Z e x=0 x=-0 x=9.007199254740992e+15 x=1.23456789e+08 x=0.0001"},
		{0, "e", []logfmt.Field{{"q", `say "a\b"`}, {"eq", "a=b"}, {"bs", `\`}},
			`2015-02-19T12:00:05Z e q="say \"a\\b\"" eq="a=b" bs="\\"`},
		{0, "e", []logfmt.Field{{"c", "\x00\n\x1f\x7f"}, {"u", "é世\u0085"}, {"bad", "\xff\xc3"}},
			"2015-02-19T12:00:05Z e c=\"\\x00\\x0a\\x1f\\x7f\" u=é世\u0085 bad=\xff\xc3"},
		{0, "e", []logfmt.Field{{"bad", []byte("\xff \xc3")}, {"", "x"}},
			"2015-02-19T12:00:05Z e bad=\"\xff \xc3\" =x"},
		{1, "e", []logfmt.Field{{"at", noon.Add(-time.Hour)}, {"l", level("no quotes needed")}, {"l", level("")}},
			"2015-02-19T12:00:05.2Z e at=2015-02-19T11:00:05.2Z l=no quotes needed l="},
	} {
		got, err := logfmt.NewConn(io.Discard, test.digits).Line(noon, test.event, test.fields)
		if got != test.want || err != nil {
			t.Errorf("wrong line\n  event:  %q\n  fields: %.200q\n  got:    %q, error %v\n  want:   %q, error <nil>",
				test.event, test.fields, got, err, test.want)
		}
		check(t, logfmt.NewConn(io.Discard, test.digits), test.digits, noon, test.event, test.fields)
	}
}

// Every byte, alone and among others, as a string and as a []byte.
func TestEveryByte(t *testing.T) {
	conn := logfmt.NewConn(io.Discard, 0)
	for c := range 256 {
		one := string([]byte{byte(c)})
		check(t, conn, 0, noon, one, []logfmt.Field{
			{"s", one}, {"b", []byte(one)}, {"s", "ab" + one + "cd"},
			{"b", []byte("x" + one + strings.Repeat("x", 40))},
		})
	}
}

func TestTimes(t *testing.T) {
	for digits := range 10 {
		conn := logfmt.NewConn(io.Discard, digits)
		for i, year := range []int{-1000, -1, 0, 1, 999, 1969, 1970, 2015, 9999, 10000, 123456} {
			nano := []int{0, 1, 120000000, 999999999}[(i+digits)%4]
			at := time.Date(year, 12, 31, 23, 59, 59, nano, zones[(i+digits)%len(zones)])
			check(t, conn, digits, at, "e", []logfmt.Field{{"at", at.UTC()}, {"at", at.AddDate(0, 0, 1)}})
		}
		check(t, conn, digits, time.Time{}, "e", []logfmt.Field{{"at", time.Time{}}})
	}
}

// Every third year of four digits, every day of a year and of a leap year, times of all
// hours, minutes and seconds, and every zone that is in use.
func TestEveryTime(t *testing.T) {
	times := func(from time.Time, n int, next func(time.Time) time.Time) {
		t.Helper()
		for digits := 0; n > 0; digits = (digits + 3) % 10 {
			fields := make([]logfmt.Field, min(n, 366))
			for i := range fields {
				fields[i] = logfmt.Field{Name: "at", Value: from}
				from = next(from)
			}
			n -= len(fields)
			check(t, logfmt.NewConn(io.Discard, digits), digits, from, "e", fields)
		}
	}
	times(noon.AddDate(-2015+newRand(t).IntN(3), 0, 0), 3333,
		func(at time.Time) time.Time { return at.AddDate(3, 0, 0) })
	for _, year := range []int{1900, 2024} {
		times(time.Date(year, 1, 1, 0, 0, 0, 0, time.UTC), 366,
			func(at time.Time) time.Time { return at.AddDate(0, 0, 1) })
	}
	times(noon, 8*60, func(at time.Time) time.Time { return at.Add(3*time.Minute + time.Second) })
	offset := -12 * 3600
	times(noon, 26*4+1, func(at time.Time) time.Time {
		zone := time.FixedZone("", offset)
		offset += 15 * 60
		return at.In(zone)
	})
}

// Clocks of one place differ in summer and in winter, and a Conn gets times of many places.
func TestSummerTime(t *testing.T) {
	conn := logfmt.NewConn(io.Discard, 0)
	for _, zone := range zones {
		var fields []logfmt.Field
		for month := range 12 {
			fields = append(fields, logfmt.Field{Name: "at", Value: noon.AddDate(0, 5*month, 0).In(zone)})
		}
		check(t, conn, 0, noon.AddDate(0, 6, 0).In(zone), "e", fields)
	}
}

func TestRandomRecords(t *testing.T) {
	r := newRand(t)
	for digits := range 10 {
		conn := logfmt.NewConn(io.Discard, digits)
		for range 12 {
			check(t, conn, digits, randomTime(r), randomText(r, 20), randomFields(r))
		}
	}
}

// A solution may treat lengths differently, so each one gets its turn, and some
// are huge.
func TestEveryLength(t *testing.T) {
	r := newRand(t)
	conn := logfmt.NewConn(io.Discard, 9)
	lengths := append(beyond(r, 16<<10), 32<<10+r.IntN(32<<10), 64<<10+r.IntN(64<<10), 128<<10+r.IntN(1<<10))
	for n := range 140 {
		lengths = append(lengths, n)
	}
	for i, n := range lengths {
		text := strings.Repeat([]string{"x", "\x00", `"`}[i%3], n)
		odd := strings.Repeat("x", n) + "=" // only the end is special
		if n < 4<<10 || i%2 == 0 {
			check(t, conn, 9, randomTime(r), "e", []logfmt.Field{{"s", text}, {"b", []byte(odd)}, {"n", int64(n)}})
		}
		if n < 4<<10 || i%2 == 1 {
			check(t, conn, 9, randomTime(r), odd, []logfmt.Field{{text, odd}, {"b", []byte(text)}, {"l", level(text)}})
		}
	}
	huge := strings.Repeat("x", 1<<20+1+r.IntN(1<<17))
	check(t, conn, 9, randomTime(r), huge, []logfmt.Field{{huge, level(huge)}, {"n", true}})
	for _, n := range append(beyond(r, 512), 16<<10+1+r.IntN(1<<10)) {
		many := make([]logfmt.Field, n)
		for i := range many {
			many[i] = logfmt.Field{Name: "n", Value: []any{nil, true, int64(i), "x"}[i%4]}
		}
		many[n-1].Value = noon
		check(t, conn, 9, noon, "e", many)
	}
}

func TestOtherValues(t *testing.T) {
	conn := logfmt.NewConn(io.Discard, 0)
	var errs []error
	var texts []string
	for _, v := range []any{
		1, int32(1), uint64(1), float32(1), 'x', []string{"x"}, struct{}{}, errRefused, &noon, []any{nil},
	} {
		// A *time.Time appends its own text.
		if _, ok := v.(*time.Time); ok {
			check(t, conn, 0, noon, "e", []logfmt.Field{{"at", v}})
			continue
		}
		got, err := conn.Line(noon, "e", []logfmt.Field{{"a", int64(1)}, {"b", v}})
		if got != "" || err == nil {
			t.Errorf("a line for a value that Line cannot write\n  type: %T\n  got:  %q, error %v\n"+
				"  want: \"\", and an error", v, got, err)
			continue
		}
		errs, texts = append(errs, err), append(texts, strings.Clone(err.Error()))
		check(t, conn, 0, noon, "e", []logfmt.Field{{"a", int64(1)}})
	}
	for i, err := range errs {
		if got := err.Error(); got != texts[i] {
			t.Errorf("a later line changes the text of an error\n  got:  %q\n  want: %q", got, texts[i])
		}
	}
}

func TestAppendTextFails(t *testing.T) {
	conn := logfmt.NewConn(io.Discard, 0)
	fails := hook{do: func() error { return errRefused }}
	got, err := conn.Line(noon, "e", []logfmt.Field{{"a", int64(1)}, {"b", fails}, {"c", int64(2)}})
	if got != "" || !errors.Is(err, errRefused) {
		t.Errorf("a line although AppendText fails\n  got:  %q, error %v\n  want: \"\", error %v", got, err, errRefused)
	}
	check(t, conn, 0, noon, "e", []logfmt.Field{{"a", int64(1)}})
}

// After a panic of AppendText or of Write the Conn is what it was, and so are the lines.
func TestPanics(t *testing.T) {
	var sent bytes.Buffer
	var write func()
	conn := logfmt.NewConn(writing{&sent, func() { write() }}, 0)
	panics := func() { panic(errRefused) }
	recovering := func(call func()) {
		t.Helper()
		defer func() {
			if v := recover(); v != errRefused {
				t.Errorf("wrong panic\n  got:  %v\n  want: %v", v, errRefused)
			}
		}()
		call()
	}
	write = func() {}
	earlier, err := conn.Line(noon, "earlier", []logfmt.Field{{"text", strings.Repeat("x", 50)}})
	if err != nil {
		t.Fatal(err)
	}
	want := strings.Clone(earlier)
	for _, text := range []string{"short", strings.Repeat("long ", 500), ""} {
		fields := []logfmt.Field{{"text", text}, {"panics", hook{do: func() error { panics(); return nil }}}, {"a", true}}
		recovering(func() { conn.Line(noon, text, fields) })
		recovering(func() {
			outer := hook{do: func() error { _, err := conn.Line(noon, text, fields); return err }}
			conn.Line(noon, text, []logfmt.Field{{"outer", outer}})
		})
		write = panics
		recovering(func() { conn.Send(text) })
		write = func() {}
		for range 2 {
			check(t, conn, 0, noon, text, []logfmt.Field{{"text", text}, {"n", int64(7)}})
			sent.Reset()
			if err := conn.Send(earlier); err != nil || sent.String() != framed(want) {
				t.Fatalf("wrong bytes sent after a panic\n  got:  %.80q, error %v\n  want: %.80q, error <nil>",
					sent.String(), err, framed(want))
			}
		}
	}
}

// A writing writer does something in the middle of a Write.
type writing struct {
	to *bytes.Buffer
	do func()
}

func (w writing) Write(p []byte) (int, error) {
	w.to.Write(p[:len(p)/2])
	w.do()
	w.to.Write(p[len(p)/2:])
	return len(p), nil
}

// The Write of Send writes lines with the same Conn, and the bytes that are being sent stay as they are.
func TestWriteCallsLine(t *testing.T) {
	r := newRand(t)
	var sent bytes.Buffer
	var conn *logfmt.Conn
	var do func()
	conn = logfmt.NewConn(writing{&sent, func() { do() }}, 0)
	for _, n := range []int{1, 10, 100, 1000, 30, 1 + anySize(r, 64<<10)} {
		line, inner := strings.Repeat("s", n), strings.Repeat("L", 1+anySize(r, 2*n))
		do = func() {
			for range 2 {
				check(t, conn, 0, noon, inner, []logfmt.Field{{"text", inner}})
			}
		}
		sent.Reset()
		if err := conn.Send(line); err != nil || sent.String() != framed(line) {
			t.Fatalf("wrong bytes sent when Write calls Line\n  line: %d bytes %q, those of Write: twice %d bytes %q\n"+
				"  got:  %.300q, error %v\n  want: %.300q, error <nil>", len(line), line[:1], len(inner), inner[:1],
				sent.String(), err, framed(line))
		}
	}
}

// Line only reads its texts. These lie in memory that cannot be written to, where the system has that.
func TestReadOnly(t *testing.T) {
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
	defer func() {
		if v := recover(); v != nil {
			t.Fatalf("Line writes to a text: %v", v)
		}
	}()
	conn := logfmt.NewConn(io.Discard, 0)
	for _, text := range []string{"plain text of a program's constant", "say \"a\\b\"\x00", "=", "x\x7f"} {
		fields := []logfmt.Field{{"text", unsafe.Slice(unsafe.StringData(text), len(text))}, {"same", text}}
		got, err := conn.Line(noon, text, fields)
		if want := lineOf(0, noon, text, fields); err != nil || got != want {
			t.Fatalf("wrong line\n  got:  %q, error %v\n  want: %q, error <nil>", got, err, want)
		}
	}
}

// AppendText may return other memory than it got, even if that had room.
func TestAppendTextMoves(t *testing.T) {
	conn := logfmt.NewConn(io.Discard, 0)
	for _, n := range []int{0, 1, 30, 300, 5000} {
		text := strings.Repeat("m", n)
		check(t, conn, 0, noon, "e",
			[]logfmt.Field{{"a", moving(text)}, {"b", int64(n)}, {"c", moving(text)}, {"d", text}})
	}
}

// A value that writes lines to the same connection while its own is written.
func TestAppendTextCallsBack(t *testing.T) {
	var sent bytes.Buffer
	conn := logfmt.NewConn(&sent, 0)
	for range 3 {
		var inner []string
		calls := hook{text: "outer", do: func() error {
			for _, event := range []string{"i", strings.Repeat("inner ", 200)} {
				line, err := conn.Line(noon, event, []logfmt.Field{{"n", int64(7)}})
				if err == nil {
					err = conn.Send(line)
				}
				if err != nil {
					return err
				}
				inner = append(inner, line)
			}
			return nil
		}}
		got, err := conn.Line(noon, "before", []logfmt.Field{{"a", "first"}, {"b", calls}, {"c", calls}, {"d", "last"}})
		if want := "2015-02-19T12:00:05Z before a=first b=outer c=outer d=last"; got != want || err != nil {
			t.Fatalf("wrong line of a value that calls Line and Send\n  got:  %q, error %v\n  want: %q, error <nil>",
				got, err, want)
		}
		for i, event := range []string{"i", strings.Repeat("inner ", 200), "i", strings.Repeat("inner ", 200)} {
			if want := lineOf(0, noon, event, []logfmt.Field{{"n", int64(7)}}); inner[i] != want {
				t.Fatalf("wrong line that a value wrote\n  got:  %.80q\n  want: %.80q", inner[i], want)
			}
		}
	}
}

// A value whose value whose value … calls back, deeper than anything is provided
// for. Meanwhile the fields that were written already are as the caller left them.
func TestAppendTextCallsDeep(t *testing.T) {
	r := newRand(t)
	conn := logfmt.NewConn(io.Discard, 0)
	var line func(depth int) (string, error)
	line = func(depth int) (string, error) {
		text := randomText(r, 60)
		whole := append([]byte(text), "|behind|"...)
		fields := []logfmt.Field{{"text", whole[:len(text)]}, {"depth", int64(depth)}}
		if depth > 0 {
			fields = append(fields, logfmt.Field{Name: "inner", Value: hook{text: "inner", do: func() error {
				if string(whole) != text+"|behind|" {
					t.Errorf("Line changes a text, or bytes after it, while it is at work\n  got:  %q\n  want: %q",
						whole, text+"|behind|")
				}
				inner, err := line(depth - 1)
				if err == nil {
					err = conn.Send(inner)
				}
				return err
			}}}, logfmt.Field{Name: "end", Value: randomText(r, 200)})
		}
		got, err := conn.Line(noon, "e", fields)
		if want := lineOf(0, noon, "e", fields); err == nil && got != want {
			t.Errorf("wrong line of a value that calls Line and Send, with %d more inside\n  got:  %.200q\n"+
				"  want: %.200q", depth, got, want)
		}
		return got, err
	}
	for _, depth := range []int{1, 2, 3, 5, 9, 17, 33, 65 + r.IntN(64), 4} {
		if _, err := line(depth); err != nil || t.Failed() {
			t.Fatalf("wrong error of a value that calls Line and Send\n  got:  %v\n  want: <nil>", err)
		}
	}
}

// However many lines are written at once, one inside the other, a single buffer may stay.
func TestDeepStaysSmall(t *testing.T) {
	const depth, size, limit = 50, 16 << 10, 72 << 10
	conn := logfmt.NewConn(io.Discard, 0)
	text := strings.Repeat("x", size)
	var line func(depth int) error
	line = func(depth int) error {
		inner := hook{do: func() error {
			if depth == 0 {
				return nil
			}
			return line(depth - 1)
		}}
		_, err := conn.Line(noon, "e", []logfmt.Field{{"text", text}, {"inner", inner}})
		return err
	}
	before := heap()
	if err := line(depth); err != nil {
		t.Fatal(err)
	}
	if more := heap() - before; more > limit {
		t.Errorf("the Conn takes too much after %d lines of %d bytes at once\n  got:  %d bytes\n  want: %d at most",
			depth, size, more, limit)
	}
	runtime.KeepAlive(conn)
}

func heap() int {
	runtime.GC()
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int(m.HeapAlloc)
}

// The line is the caller's: nothing that comes later may change it, though lines of
// megabytes follow, of all lengths, and some of the fields fail.
func TestEarlierLines(t *testing.T) {
	r := newRand(t)
	var sent bytes.Buffer
	conn := logfmt.NewConn(&sent, 9)
	var lines, copies []string
	var wire strings.Builder
	keep := func(line string, err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		lines, copies = append(lines, line), append(copies, strings.Clone(line))
	}
	unchanged := func() {
		t.Helper()
		for i := range lines {
			if lines[i] != copies[i] {
				t.Fatalf("line %d of %d was changed by a later call\n  got:  %.200q\n  want: %.200q", i, len(lines),
					lines[i], copies[i])
			}
		}
	}
	for range 50 {
		text := []byte(randomText(r, 60))
		line, err := conn.Line(randomTime(r), randomText(r, 20), []logfmt.Field{{"text", text}, {"same", text}})
		keep(line, err)
		for i := range text {
			text[i] = '#'
		}
		if err := conn.Send(line); err != nil {
			t.Fatal(err)
		}
		wire.WriteString(framed(line))
	}
	unchanged()
	if sent.String() != wire.String() {
		t.Errorf("the lines were not sent as they are framed\n  got:  %.300q\n  want: %.300q", sent.String(),
			wire.String())
	}

	conn = logfmt.NewConn(io.Discard, 0)
	fails := []logfmt.Field{{"b", hook{do: func() error { return errRefused }}}}
	names := strings.Repeat("names cost no time ", 15<<10)
	for written := 0; written < 12<<20; {
		n := r.IntN(1 << r.IntN(19))
		if n < 1000 {
			keep(conn.Line(noon, "kept", []logfmt.Field{{names[:n], int64(written)}}))
		} else if _, err := conn.Line(noon, "dropped", []logfmt.Field{{names[:n], level("x")}}); err != nil {
			t.Fatal(err)
		}
		if n%4 == 0 {
			conn.Line(noon, "fails", fails)
			if err := conn.Send(names[:n]); err != nil {
				t.Fatal(err)
			}
		}
		written += n
	}
	unchanged()
}

// A Conn keeps no more than a buffer of about its longest line, and a line no more
// than its own bytes: neither has a hoard.
func TestStaysSmall(t *testing.T) {
	const count, rounds, limit = 30, 130, 8 << 10
	fields := newRecord(newRand(t), 0).fields
	conns := make([]*logfmt.Conn, count)
	kept := make([]string, 0, count*rounds)

	before := heap()
	for round := range rounds {
		for i, conn := range conns {
			if conn == nil {
				conns[i] = logfmt.NewConn(io.Discard, 9)
				continue
			}
			line, err := conn.Line(noon, "e", fields)
			if err != nil {
				t.Fatal(err)
			}
			if err := conn.Send(line); err != nil {
				t.Fatal(err)
			}
			if round == 10 || round == 100 {
				kept = append(kept, line)
			}
		}
		if round%64 > 0 {
			continue
		}
		if each := (heap() - before) / count; each > limit {
			t.Fatalf("each Conn takes too much after %d lines of less than 300 bytes, of which %d are kept\n"+
				"  got:  %d bytes\n  want: %d at most", round, len(kept)/count, each, limit)
		}
	}
	clear(conns)
	if each := (heap() - before) / len(kept); each > 2<<10 {
		t.Fatalf("each line that is kept takes too much\n  got:  %d bytes for %d\n  want: %d at most", each,
			len(kept[0]), 2<<10)
	}
	runtime.KeepAlive(conns)
	runtime.KeepAlive(kept)
}

// Each line takes memory of its own: what a Conn takes ahead for the lines to come, it
// uses up instead of using it again. Records of the same lengths take the same memory.
func TestEachLine(t *testing.T) {
	defer debug.SetGCPercent(debug.SetGCPercent(-1)) // the collector allocates, too
	r := newRand(t)
	for _, rec := range []record{
		{at: noon, event: "e"}, newRecord(r, 0), newRecord(r, 50+r.IntN(1000)), newRecord(r, anySize(r, 8<<10)),
	} {
		conn := logfmt.NewConn(io.Discard, benchDigits)
		took := make([]uint64, 120)
		var m runtime.MemStats
		for i := range took {
			runtime.ReadMemStats(&m)
			before := m.TotalAlloc
			if _, err := conn.Line(rec.at, rec.event, rec.fields); err != nil {
				t.Fatal(err)
			}
			runtime.ReadMemStats(&m)
			took[i] = m.TotalAlloc - before
		}
		took = took[20:] // until then a buffer may grow
		slices.Sort(took)
		// Once in a thousand times the runtime allocates by chance: see the benchmark.
		if least, most := took[0], took[len(took)-2]; most > 2*least {
			t.Errorf("some lines take much more memory than others of the same length: Line takes it ahead for several "+
				"lines\n  got:  %d bytes for a line, %d for another\n  want: less than twice as many", least, most)
		}
	}
}

// framed returns line as Send sends it.
func framed(line string) string {
	n := len(line)
	digits := string(rune('0' + n%10))
	for n /= 10; n > 0; n /= 10 {
		digits = string(rune('0'+n%10)) + digits
	}
	return digits + " " + line
}

type refusing struct{}

func (refusing) Write([]byte) (int, error) { return 0, errRefused }

func TestSend(t *testing.T) {
	for _, line := range []string{
		"x", strings.Repeat("long ", 3000), "short", strings.Repeat("longer ", 40_000),
		strings.Repeat("longest ", 1<<17+1), "",
	} {
		var sent bytes.Buffer
		conn := logfmt.NewConn(&sent, 0)
		if err := conn.Send(line); err != nil || sent.String() != framed(line) {
			t.Errorf("wrong bytes sent\n  line: %.80q\n  got:  %.80q, error %v\n  want: %.80q, error <nil>", line,
				sent.String(), err, framed(line))
		}
	}
	if err := logfmt.NewConn(refusing{}, 0).Send("x"); !errors.Is(err, errRefused) {
		t.Errorf("wrong error when the writer fails\n  got:  %v\n  want: %v", err, errRefused)
	}
}

// Goroutines that have a connection each share the fields.
func TestConnsAtOnce(t *testing.T) {
	r := newRand(t)
	fields := randomFields(r)
	for range 5 {
		fields = append(fields, logfmt.Field{Name: "text", Value: []byte(randomText(r, 60))})
	}
	at := randomTime(r)
	want := lineOf(9, at, "e", fields)
	var calls sync.WaitGroup
	for range 4 {
		calls.Go(func() {
			conn := logfmt.NewConn(io.Discard, 9)
			for range 5 {
				line, err := conn.Line(at, "e", fields)
				if err != nil || line != want {
					t.Errorf("wrong line when goroutines use a Conn at once\n  got:  %.200q, error %v\n"+
						"  want: %.200q, error <nil>", line, err, want)
					return
				}
			}
		})
	}
	calls.Wait()
}

// The Conn lives on, the fields that it was given and their values do not. Texts are small
// parts of large ones.
func TestKeepsNothing(t *testing.T) {
	r := newRand(t)
	conn := logfmt.NewConn(io.Discard, 0)
	for _, n := range []int{1 + r.IntN(8), 8 + r.IntN(24), 40, 1000 + r.IntN(2000)} {
		fields, parts := lineOfNew(t, conn, n)
		for range 3 {
			runtime.GC()
		}
		if fields.Value() != nil {
			t.Errorf("the Conn keeps the fields of a line")
		}
		for i, part := range parts {
			if part.Value() != nil {
				t.Errorf("the Conn keeps the %s of %d bytes",
					[]string{"event", "name of a field", "string", "[]byte", "value that appends a text"}[i], n)
			}
		}
	}
	lineOfNew(t, conn, 40) // so the Conn was alive all along
}

// lineOfNew writes a line, and returns pointers to its fields and to the memory of their texts that
// do not keep them alive.
//
//go:noinline
func lineOfNew(t *testing.T, conn *logfmt.Conn, n int) (fields weak.Pointer[logfmt.Field],
	parts [5]weak.Pointer[byte]) {
	var texts [5]string
	for i := range texts {
		large := strings.Repeat("t", 4<<10)
		texts[i], parts[i] = large[1<<10:][:n], weak.Make(unsafe.StringData(large))
	}
	bytes := unsafe.Slice(unsafe.StringData(texts[3]), n)
	given := []logfmt.Field{{texts[1], texts[2]}, {"bytes", bytes}, {"level", level(texts[4])}}
	if _, err := conn.Line(noon, texts[0], given); err != nil {
		t.Fatal(err)
	}
	return weak.Make(&given[0]), parts
}
