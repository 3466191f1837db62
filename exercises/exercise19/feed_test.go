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

	"onthestack/exercises/exercise19"
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

func stampOf(digits int, t time.Time) string { return t.Format(layouts[digits]) }

// layouts are those of times with 0 to 9 digits after the second.
var layouts = func() (layouts [10]string) {
	for digits := range layouts {
		layout := "2006-01-02T15:04:05." + strings.Repeat("0", digits)
		layouts[digits] = strings.TrimSuffix(layout, ".") + "Z07:00"
	}
	return layouts
}()

func textOf(text string) string {
	if text == "" || strings.ContainsAny(text, " =\"\\"+controls) {
		return `"` + escaper.Replace(text) + `"`
	}
	return text
}

// zones are clocks: of fixed offsets, not all of them of whole minutes, and of places
// where summers have another one.
var zones = []*time.Location{
	time.UTC, time.FixedZone("", 3600), time.FixedZone("", -3600), time.FixedZone("", 19800),
	time.FixedZone("", 45296), time.FixedZone("", -1800), time.FixedZone("", -20), time.FixedZone("", -12345),
	time.FixedZone("", 14*3600), summerTime("<A>-1<B>,M3.5.0,M10.5.0/3"), summerTime("<A>3:30:15<B>,M3.2.0,M11.1.0"),
}

// summerTime returns a location in which clocks go by a rule in all years. The rule is of the kind
// that POSIX has for the variable TZ. The data are as RFC 9636 wants them: a block with a
// single offset, of 0 seconds, for old readers, the same again, and the rule.
func summerTime(rule string) *time.Location {
	block := "TZif2" + strings.Repeat("\x00", 15+4*4) + "\x00\x00\x00\x01" + "\x00\x00\x00\x01" +
		strings.Repeat("\x00", 6+1)
	l, err := time.LoadLocationFromTZData("", []byte(block+block+"\n"+rule+"\n"))
	if err != nil {
		panic(err)
	}
	return l
}

// randomTime returns a time of our days or, one time in two, any other.
func randomTime(r *rand.Rand) time.Time {
	t := time.Unix(r.Int64N(1e10)-5e9, r.Int64N(1e9))
	switch r.IntN(8) {
	case 0:
		t = t.Truncate(time.Second)
	case 1:
		t = t.AddDate(7500+anySize(r, 1e8), 0, 0)
	case 2:
		t = t.AddDate(-1900-anySize(r, 1e8), 0, 0)
	case 3:
		t = time.Time{}
	}
	return t.In(zones[r.IntN(len(zones))])
}

// anySize returns a number of at most most, of any order of magnitude.
func anySize(r *rand.Rand, most int) int {
	return int(math.Exp2(r.Float64()*math.Log2(float64(most+1)))) - 1 + r.IntN(2)
}

// randomFloat returns a number of any kind: whole, with few digits, with any bits, or none at all.
func randomFloat(r *rand.Rand) float64 {
	whole := float64(r.Int64() >> r.IntN(63))
	switch r.IntN(6) {
	case 0:
		return []float64{0, math.Copysign(0, -1), math.NaN(), math.Inf(1), math.Inf(-1)}[r.IntN(5)]
	case 1:
		return whole
	case 2:
		return -whole
	case 3:
		return math.Pow10(r.IntN(40) - 10)
	case 4:
		return whole / 1000
	}
	return math.Float64frombits(r.Uint64())
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
			fields[i].Value = randomFloat(r)
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

// A record is one input of the benchmarks.
type record struct {
	at     time.Time
	event  string
	fields []logfmt.Field
}

// benchDigits is what BenchmarkLine's connection has after the second.
const benchDigits = 9

// newRecord returns a record whose values are drawn from r and whose lengths are always the same, but
// for those of two texts, which have n letters more.
func newRecord(r *rand.Rand, n int) record {
	zone := time.FixedZone("", 3600*(1+r.IntN(9)))
	at := time.Date(2001+r.IntN(40), 1, 1+r.IntN(300), 0, 0, r.IntN(86400), 123456789, zone)
	return record{at, string(letters(r, 6)), []logfmt.Field{
		{Name: "level", Value: level(letters(r, 4))},
		{Name: "port", Value: int64(1024 + r.IntN(8000))},
		{Name: "load", Value: float64(1+2*r.IntN(400)) / 1024},
		{Name: "since", Value: at.Add(-time.Duration(1+r.Int64N(1e15)) * 2)},
		{Name: "frame", Value: slices.Concat(letters(r, 23+n), []byte("\x00\"\\"), letters(r, 17))},
		{Name: "key", Value: letters(r, 40)},
		{Name: "user", Value: string(letters(r, 9+n)) + " " + string(letters(r, 9))},
	}}
}

// anyRecord returns a record with as many times in its fields as it is told, two texts in bytes, of more than
// 32, and others of any kinds. The last text has n letters more.
func anyRecord(r *rand.Rand, times, others, n int) record {
	rec := record{at: randomTime(r), event: string(letters(r, r.IntN(30)))}
	add := func(name string, v any) { rec.fields = append(rec.fields, logfmt.Field{Name: name, Value: v}) }
	for range times {
		add("since", randomTime(r))
	}
	add("frame", append(letters(r, 40+r.IntN(30)), "x =\"\\\x00\x7f"[r.IntN(7)]))
	add("none", nil)
	add("ok", r.IntN(2) == 0)
	for range others {
		switch r.IntN(5) {
		case 0:
			add("port", int64(r.Uint64())>>r.IntN(64))
		case 1:
			add("load", randomFloat(r))
		case 2:
			add("ok", r.IntN(2) == 0)
		case 3:
			add("level", level(letters(r, r.IntN(30))))
		case 4:
			add("user", string(letters(r, 2+r.IntN(20)))+" "+string(letters(r, 2+r.IntN(20))))
		}
	}
	r.Shuffle(len(rec.fields), func(i, j int) { rec.fields[i], rec.fields[j] = rec.fields[j], rec.fields[i] })
	add("key", letters(r, 33+n))
	return rec
}

// letters returns n random small letters, with nothing behind them.
func letters(r *rand.Rand, n int) []byte {
	b := slices.Clip(make([]byte, n))
	for i := range b {
		b[i] = byte('a' + r.IntN(26))
	}
	return b
}
