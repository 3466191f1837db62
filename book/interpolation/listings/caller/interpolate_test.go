package interpolate

import (
	"bytes"
	"database/sql/driver"
	"errors"
	"math"
	"math/rand"
	"strconv"
	"strings"
	"testing"
	"time"
)

func TestLiterals(t *testing.T) {
	berlin := time.FixedZone("CET", 3600)
	for _, test := range []struct {
		arg  driver.Value
		want string
	}{
		{nil, "NULL"},
		{int64(0), "0"},
		{int64(math.MinInt64), "-9223372036854775808"},
		{float64(-0.5), "-0.5"},
		{float64(1e300), "1e+300"},
		{true, "1"},
		{false, "0"},
		{time.Date(2015, 2, 19, 8, 30, 5, 0, time.UTC), "'2015-02-19 09:30:05'"},
		{time.Date(2015, 2, 19, 8, 30, 5, 999, time.UTC), "'2015-02-19 09:30:05'"},
		{time.Date(2015, 2, 19, 8, 30, 5, 1000, time.UTC), "'2015-02-19 09:30:05.000001'"},
		{time.Date(2015, 12, 31, 23, 59, 59, 999999999, time.UTC), "'2016-01-01 00:59:59.999999'"},
		{time.Date(0, 1, 1, 0, 0, 0, 0, berlin), "'0000-01-01 00:00:00'"},
		{[]byte(nil), "NULL"},
		{[]byte{}, "''"},
		{[]byte("\x00\xff"), "'\\0\xff'"},
		{"", "''"},
		{"it's", `'it\'s'`},
		{"\x00\n\r\x1a'\"\\", `'\0\n\r\Z\'\"\\'`},
		{"?", "'?'"},
		{"Grüße, 世界", "'Grüße, 世界'"},
		{strings.Repeat("'", 5000), "'" + strings.Repeat(`\'`, 5000) + "'"},
	} {
		// Not all of the query is UTF-8, and all of it must arrive.
		got, err := NewConn(berlin).Interpolate("/* é\xff */ SET a=?, b=?", []driver.Value{test.arg, int64(7)})
		if want := "/* é\xff */ SET a=" + test.want + ", b=7"; got != want || err != nil {
			t.Errorf("%#v: got %.80q, error %v, want %.80q", test.arg, got, err, want)
		}
	}
}

func TestSkip(t *testing.T) {
	conn := NewConn(time.UTC)
	for _, test := range []struct {
		query string
		args  []driver.Value
	}{
		{"CALL f()", []driver.Value{int64(1)}},
		{"CALL f(?)", nil},
		{"CALL f('?', ?)", []driver.Value{int64(1)}},
		{"CALL f(?)", []driver.Value{int(1)}},
		{"CALL f(?)", []driver.Value{math.NaN()}},
		{"CALL f(?)", []driver.Value{math.Inf(-1)}},
		{"CALL f(?)", []driver.Value{time.Date(10000, 1, 1, 0, 0, 0, 0, time.UTC)}},
		{"CALL f(?)", []driver.Value{time.Date(-1, 12, 31, 0, 0, 0, 0, time.UTC)}},
	} {
		got, err := conn.Interpolate(test.query, test.args)
		if got != "" || !errors.Is(err, driver.ErrSkip) {
			t.Errorf("%q, %v: got %q, error %v, want driver.ErrSkip", test.query, test.args, got, err)
		}
	}
	if got, err := conn.Interpolate("CALL f()", nil); got != "CALL f()" || err != nil {
		t.Errorf("no arguments: got %q, error %v", got, err)
	}
}

// A later call does not change what an earlier one returned.
func TestNextCall(t *testing.T) {
	conn := NewConn(time.UTC)
	first, err := conn.Interpolate("CALL f(?)", []driver.Value{"first"})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := conn.Interpolate("CALL g(?)", []driver.Value{"later"}); err != nil {
		t.Fatal(err)
	}
	if want := "CALL f('first')"; first != want {
		t.Errorf("after the next call the first result is %q, want %q", first, want)
	}
}

// ANCHOR: random
func TestRandom(t *testing.T) {
	seed := time.Now().UnixNano()
	random := rand.New(rand.NewSource(seed))
	for range 1000 {
		args := randomArgs(random)
		conn := NewConn(time.FixedZone("", random.Intn(86400)-43200))
		query := "CALL f(" + strings.Repeat("?;", len(args)) + ")"
		text, err := conn.Interpolate(query, args)
		if err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
		rest := strings.TrimPrefix(text, "CALL f(")
		for _, arg := range args {
			var got string
			got, rest = readLiteral(rest)
			if !same(got, arg, conn.location) {
				t.Fatalf("seed %d: the server reads %q, want %#v; the query is %q", seed, got, arg, text)
			}
		}
		if rest != ")" {
			t.Fatalf("seed %d: the query ends in %q: %q", seed, rest, text)
		}
	}
}

// ANCHOR_END: random

// readLiteral reads a literal and the semicolon behind it, as a server does.
func readLiteral(text string) (value, rest string) {
	if !strings.HasPrefix(text, "'") {
		value, rest, _ = strings.Cut(text, ";")
		return value, rest
	}
	var b strings.Builder
	for i := 1; i < len(text); i++ {
		switch text[i] {
		case '\'':
			return b.String(), strings.TrimPrefix(text[i+1:], ";")
		case '\\':
			i++
			if at := strings.IndexByte("0nrZ", text[i]); at >= 0 {
				b.WriteByte("\x00\n\r\x1a"[at])
				continue
			}
		}
		b.WriteByte(text[i])
	}
	return "no end of the literal", ""
}

// same reports whether got, which a server read, is arg.
func same(got string, arg driver.Value, location *time.Location) bool {
	switch arg := arg.(type) {
	case nil:
		return got == "NULL"
	case int64:
		n, err := strconv.ParseInt(got, 10, 64)
		return err == nil && n == arg
	case float64:
		f, err := strconv.ParseFloat(got, 64)
		return err == nil && f == arg
	case bool:
		return got == "1" && arg || got == "0" && !arg
	case time.Time:
		t, err := time.ParseInLocation("2006-01-02 15:04:05", got, location)
		return err == nil && t.Equal(arg.Truncate(time.Microsecond))
	case []byte:
		return bytes.Equal([]byte(got), arg)
	case string:
		return got == arg
	}
	return false
}

// randomArgs returns up to eight arguments of all kinds.
func randomArgs(random *rand.Rand) []driver.Value {
	text := func() string {
		const chars = "'\"\\\x00\n\r\x1a?;%_ab\xffé"
		b := make([]byte, random.Intn(50))
		for i := range b {
			b[i] = chars[random.Intn(len(chars))]
		}
		return string(b)
	}
	args := make([]driver.Value, random.Intn(9))
	for i := range args {
		switch random.Intn(7) {
		case 0:
			args[i] = nil
		case 1:
			args[i] = int64(random.Uint64()) >> random.Intn(64)
		case 2:
			args[i] = random.NormFloat64() * math.Pow10(random.Intn(600)-300)
		case 3:
			args[i] = random.Intn(2) == 0
		case 4:
			at := time.Date(random.Intn(9999), 1, 2, 0, 0, random.Intn(363*86400), random.Intn(1e9), time.UTC)
			if random.Intn(2) == 0 {
				at = at.Truncate(time.Second)
			}
			args[i] = at
		case 5:
			args[i] = []byte(text())
		case 6:
			args[i] = text()
		}
	}
	return args
}
