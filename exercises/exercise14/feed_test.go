package logfmt_test

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"onthestack/exercises/exercise14"
)

// drawn is the seed of this process: fresh in every run, and the same whenever
// a benchmark is set up again for more operations, so that these differ in
// nothing else.
var drawn = rand.Uint64()

// newRand returns a source of random inputs that differ in every run. When tb
// fails it logs the seed; the environment variable SEED repeats that run.
func newRand(tb testing.TB) *rand.Rand {
	tb.Helper()
	seed := drawn
	if s := os.Getenv("SEED"); s != "" {
		var err error
		if seed, err = strconv.ParseUint(s, 10, 64); err != nil {
			tb.Fatalf("SEED must be a whole number: %v", err)
		}
	}
	tb.Cleanup(func() {
		if tb.Failed() {
			tb.Logf("to repeat these inputs: SEED=%d", seed)
		}
	})
	return rand.New(rand.NewPCG(seed, 0))
}

// A level is a value that appends a text of its own.
type level string

func (l level) AppendText(b []byte) ([]byte, error) { return append(b, l...), nil }

// A moving value appends its text to a copy of what it was given.
type moving string

func (m moving) AppendText(b []byte) ([]byte, error) { return append(slices.Clone(b), m...), nil }

// A hook is a value that does something before it appends its text.
type hook struct {
	text string
	do   func() error
}

func (h hook) AppendText(b []byte) ([]byte, error) {
	if err := h.do(); err != nil {
		return append(b, "half of it"...), err
	}
	return append(b, h.text...), nil
}

var errRefused = errors.New("refused")

// escaper escapes what is special in quotes.
var escaper = func() *strings.Replacer {
	pairs := []string{`"`, `\"`, `\`, `\\`}
	for _, char := range controls {
		pairs = append(pairs, string(char), fmt.Sprintf(`\x%02x`, char))
	}
	return strings.NewReplacer(pairs...)
}()

const controls = "\x00\x01\x02\x03\x04\x05\x06\x07\x08\x09\x0a\x0b\x0c\x0d\x0e\x0f" +
	"\x10\x11\x12\x13\x14\x15\x16\x17\x18\x19\x1a\x1b\x1c\x1d\x1e\x1f\x7f"

// lineOf returns what Line must return, by other means.
func lineOf(digits int, at time.Time, event string, fields []logfmt.Field) string {
	line := []byte(stampOf(digits, at) + " " + textOf(event))
	for _, f := range fields {
		line = fmt.Appendf(line, " %s=%s", f.Name, valueOf(digits, f.Value))
	}
	return string(line)
}

func valueOf(digits int, v any) string {
	switch v := v.(type) {
	case nil:
		return "null"
	case float64:
		return strconv.FormatFloat(v, 'g', -1, 64)
	case time.Time:
		return stampOf(digits, v)
	case []byte:
		return textOf(string(v))
	case string:
		return textOf(v)
	// The types that append their own text are listed one by one: a switch over
	// interfaces allocates at random, see the benchmark.
	case level:
		return string(v)
	case moving:
		return string(v)
	case hook:
		return v.text
	case *time.Time:
		text, _ := v.AppendText(nil)
		return string(text)
	}
	return fmt.Sprint(v)
}

func stampOf(digits int, t time.Time) string {
	layout := "2006-01-02T15:04:05." + strings.Repeat("0", digits)
	return t.Format(strings.TrimSuffix(layout, ".") + "Z07:00")
}

func textOf(text string) string {
	if text == "" || strings.ContainsAny(text, " =\"\\"+controls) {
		return `"` + escaper.Replace(text) + `"`
	}
	return text
}

// zones are offsets of clocks, in seconds.
var zones = []int{0, 3600, -3600, 19800, -1800, 45296, 14 * 3600}

func randomTime(r *rand.Rand) time.Time {
	t := time.Unix(r.Int64N(1e10)-5e9, r.Int64N(1e9))
	switch r.IntN(8) {
	case 0:
		t = t.Truncate(time.Second)
	case 1:
		t = t.AddDate(9000+r.IntN(3000), 0, 0)
	case 2:
		t = t.AddDate(-1900-r.IntN(3000), 0, 0)
	case 3:
		t = time.Time{}
	}
	return t.In(time.FixedZone("", zones[r.IntN(len(zones))]))
}

// randomText returns up to n characters, most of them plain, special or of no
// encoding at all.
func randomText(r *rand.Rand, n int) string {
	const special = " =\"\\\x00\t\n\r\x1b\x1f\x7f"
	plain := []rune("abcXYZ019-_./:,;'é世\u0085\u00a0")
	var b strings.Builder
	odd := r.IntN(3)
	for range r.IntN(n + 1) {
		switch r.IntN(8) {
		case 0:
			b.WriteByte(byte(r.IntN(256)))
		case 1, 2:
			if odd > 0 {
				b.WriteByte(special[r.IntN(len(special))])
			}
		default:
			b.WriteRune(plain[r.IntN(len(plain))])
		}
	}
	return b.String()
}

// beyond returns lengths that no constant covers: for each power of two up to most
// one more than it, and one drawn up to its double.
func beyond(r *rand.Rand, most int) []int {
	var lengths []int
	for n := 1; n <= most; n *= 2 {
		lengths = append(lengths, n+1, n+r.IntN(n))
	}
	return lengths
}

func randomFields(r *rand.Rand) []logfmt.Field {
	fields := make([]logfmt.Field, r.IntN(8))
	for i := range fields {
		fields[i].Name = "f" + strconv.Itoa(r.IntN(100))
		switch r.IntN(9) {
		case 0:
			fields[i].Value = nil
		case 1:
			fields[i].Value = int64(r.Uint64()) >> r.IntN(64)
		case 2:
			fields[i].Value = math.Float64frombits(r.Uint64())
		case 3:
			fields[i].Value = r.IntN(2) == 0
		case 4:
			fields[i].Value = randomTime(r)
		case 5:
			fields[i].Value = []byte(randomText(r, 60))
		case 6:
			fields[i].Value = randomText(r, 60)
		case 7:
			fields[i].Value = level(randomText(r, 10))
		case 8:
			fields[i].Value = []byte(nil)
		}
	}
	return fields
}

// A record is one input of the benchmark and the line that must come of it.
type record struct {
	at     time.Time
	event  string
	fields []logfmt.Field
	want   []byte

	// The benchmark changes these, the same in fields and in want.
	frame, wantFrame []byte
}

// benchDigits is what the benchmark's connection has after the second.
const benchDigits = 9

// noNumber keeps the place of a number.
const noNumber = "00000000"

// newRecord returns a record whose values are drawn from r and whose lengths are
// always the same.
func newRecord(r *rand.Rand) record {
	letters := func(n int) string {
		b := make([]byte, n)
		for i := range b {
			b[i] = byte('a' + r.IntN(26))
		}
		return string(b)
	}
	zone := time.FixedZone("", 3600*(1+r.IntN(9)))
	rec := record{
		at:    time.Date(2001+r.IntN(40), 1, 1+r.IntN(300), 0, 0, r.IntN(86400), 0, zone),
		event: letters(6),
		frame: slices.Clip([]byte(noNumber + "\x00" + letters(15) + "\"\\" + letters(16))),
	}
	rec.fields = []logfmt.Field{
		{Name: "level", Value: level(letters(4))},
		{Name: "port", Value: int64(1024 + r.IntN(8000))},
		{Name: "load", Value: float64(1+2*r.IntN(400)) / 1024},
		{Name: "since", Value: rec.at.Add(-time.Duration(1+r.Int64N(1e15)) * 2)},
		{Name: "frame", Value: rec.frame},
		{Name: "key", Value: slices.Clip([]byte(letters(40)))},
		{Name: "user", Value: letters(9) + " " + letters(9)},
	}
	rec.want = []byte(lineOf(benchDigits, rec.at, rec.event, rec.fields))
	rec.wantFrame = rec.want[strings.Index(string(rec.want), "\""+noNumber)+1:][:len(noNumber)]
	return rec
}

// newOther returns a record with the same number of []byte values, and with as many times
// in its fields as it is told; all else may be in any number: other values, years, zones
// and lengths. The last text has n letters more.
func newOther(r *rand.Rand, digits, times, n int) record {
	bytesOf := func(n int) []byte { return slices.Clip([]byte(strings.Repeat(string(rune('a'+r.IntN(26))), n))) }
	rec := record{at: randomTime(r), event: string(bytesOf(r.IntN(30)))}
	add := func(name string, v any) { rec.fields = append(rec.fields, logfmt.Field{Name: name, Value: v}) }
	for range times {
		add("since", randomTime(r))
	}
	add("frame", slices.Concat(bytesOf(40+r.IntN(30)), []byte{"x =\"\\\x00\x7f"[r.IntN(7)]}))
	for range r.IntN(9) {
		switch r.IntN(6) {
		case 0:
			add("none", nil)
		case 1:
			add("port", int64(r.Uint64())>>r.IntN(64))
		case 2:
			add("load", math.Float64frombits(r.Uint64()))
		case 3:
			add("ok", r.IntN(2) == 0)
		case 4:
			add("level", level(bytesOf(r.IntN(30))))
		case 5:
			add("user", string(bytesOf(r.IntN(20)))+" "+string(bytesOf(r.IntN(20))))
		}
	}
	r.Shuffle(len(rec.fields), func(i, j int) { rec.fields[i], rec.fields[j] = rec.fields[j], rec.fields[i] })
	add("key", bytesOf(33+r.IntN(30)+n))
	rec.want = []byte(lineOf(digits, rec.at, rec.event, rec.fields))
	return rec
}

// newOthers returns records for connections of 0 to 9 digits in turn, as newOther does.
// Those of long are up to most bytes longer, one more than a power of two.
func newOthers(r *rand.Rand, times, most int) (others, long []record) {
	for i := range 100 {
		others = append(others, newOther(r, i%10, times, 0))
	}
	for n := 128; n <= most; n *= 2 {
		long = append(long, newOther(r, len(long)%10, times, n+1))
	}
	return others, long
}

// set gives the record another time and another number, the same in what goes in
// and in what must come. It allocates nothing.
func (rec *record) set(n int) {
	rec.at = rec.at.Add(time.Duration(1 + n%1000))
	nano := rec.at.Nanosecond()
	second := rec.at.Second()
	rec.want[17], rec.want[18] = byte('0'+second/10), byte('0'+second%10)
	for i := 28; i >= 20; i-- {
		rec.want[i] = byte('0' + nano%10)
		nano /= 10
	}
	for i := range noNumber {
		rec.frame[i] = byte('0' + n%10)
		rec.wantFrame[i] = rec.frame[i]
		n /= 10
	}
}
