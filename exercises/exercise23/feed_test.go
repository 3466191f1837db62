package notice_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"strconv"
	"strings"
	"testing"
	"time"

	"onthestack/exercises/exercise23"
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

// anySize returns a number of at most most, of any order of magnitude.
func anySize(r *rand.Rand, most int) int {
	return int(math.Exp2(r.Float64()*math.Log2(float64(most+1)))) - 1 + r.IntN(2)
}

// zones are those of ports.
var zones = []*time.Location{
	time.UTC, time.FixedZone("", 3600), time.FixedZone("", -12600), time.FixedZone("", 45296),
	time.FixedZone("", 14*3600), time.FixedZone("", -20),
}

// noticeOf returns what Fill must return, by other means.
func noticeOf(zone *time.Location, template string, values []any) string {
	var b strings.Builder
	for _, v := range values {
		at := strings.Index(template, "{}")
		b.WriteString(template[:at])
		b.WriteString(htmlOf(zone, v))
		template = template[at+len("{}"):]
	}
	b.WriteString(template)
	return b.String()
}

func htmlOf(zone *time.Location, v any) string {
	switch v := v.(type) {
	case nil:
		return "&mdash;"
	case float64:
		return fmt.Sprintf("%.1f", v)
	case bool:
		if v {
			return "yes"
		}
		return "no"
	case time.Time:
		if v.IsZero() {
			return "&mdash;"
		}
		v = v.In(zone)
		return fmt.Sprintf("%.3s %02d:%02d", v.Weekday(), v.Hour(), v.Minute())
	case []byte:
		return escaper.Replace(string(v))
	case string:
		return escaper.Replace(v)
	}
	return fmt.Sprint(v)
}

var escaper = strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;", `"`, "&quot;")

// randomText returns n bytes, of which many are special or of no encoding.
func randomText(r *rand.Rand, n int) string {
	const special = "&<>\"{}';"
	const plain = "abcXYZ 019-_./:%\\\x00\té\xff\xe4\xb8\x96"
	odd := r.IntN(3)
	text := make([]byte, n)
	for i := range text {
		if text[i] = plain[r.IntN(len(plain))]; odd > 0 && r.IntN(6) == 0 {
			text[i] = special[r.IntN(len(special))]
		}
	}
	return string(text)
}

// randomTime returns a time of our days, any other, or the zero time.
func randomTime(r *rand.Rand) time.Time {
	switch r.IntN(4) {
	case 0:
		return time.Time{}.In(zones[r.IntN(len(zones))])
	case 1:
		return time.Unix(r.Int64N(1e12)-5e11, r.Int64N(1e9))
	}
	return time.Unix(r.Int64N(1e10)-5e9, r.Int64N(1e9)).In(zones[r.IntN(len(zones))])
}

func randomFloat(r *rand.Rand) float64 {
	switch r.IntN(5) {
	case 0:
		return []float64{0, math.Copysign(0, -1), math.NaN(), math.Inf(1), math.Inf(-1), -0.04, 0.05, 0.25}[r.IntN(8)]
	case 1:
		return math.Pow10(r.IntN(40)-10) * float64(r.IntN(3)-1)
	case 2:
		return math.Float64frombits(r.Uint64())
	}
	return float64(r.Int64()>>r.IntN(63)) / float64(1+r.IntN(1000))
}

// randomValue returns a value of any kind, of which a text has n bytes.
func randomValue(r *rand.Rand, n int) any {
	switch r.IntN(9) {
	case 0:
		return nil
	case 1, 2:
		return int64(r.Uint64()) >> r.IntN(64)
	case 3:
		return randomFloat(r)
	case 4:
		return r.IntN(2) == 0
	case 5:
		return randomTime(r)
	case 6:
		return randomText(r, n)
	case 7:
		return []byte(nil)
	}
	return []byte(randomText(r, n))
}

// A filling is what Fill is called with.
type filling struct {
	template string
	values   []any
}

// newFilling returns a filling whose notice has at least n bytes, most of them in texts.
func newFilling(r *rand.Rand, n int) filling {
	var f filling
	for size := 0; size < n || len(f.values) == 0; {
		part := min(1+r.IntN(2*n/3+1), n)
		text := randomText(r, part)
		f.template += "<p>" + strings.ReplaceAll(randomText(r, r.IntN(20)), "{", "(") + "{}"
		if len(f.values)%4 == 0 {
			f.values = append(f.values, text)
		} else {
			f.values = append(f.values, []byte(text))
		}
		f.template += ", {}</p>"
		f.values = append(f.values, randomValue(r, r.IntN(60)))
		size += part
	}
	return f
}

// template and newValues are what BenchmarkFill measures.
const template = "<p>{} ({}): {}, {} m, berth {}, {}</p><p>{}</p>"

// newValues returns values that are drawn from r and whose lengths are always the same.
func newValues(r *rand.Rand) []any {
	return []any{
		"MS \"" + letters(r, 20) + "\" & <" + letters(r, 20) + ">",
		time.Date(2030, 1, 1+r.IntN(28), r.IntN(24), r.IntN(60), 0, 0, time.UTC),
		r.IntN(2) == 0,
		float64(100+r.IntN(100)) + 0.5,
		int64(1000 + r.IntN(9000)),
		nil,
		[]byte("<" + letters(r, 15) + "> & \"" + letters(r, 15) + "\""),
	}
}

func letters(r *rand.Rand, n int) string {
	text := make([]byte, n)
	for i := range text {
		text[i] = byte('a' + r.IntN(26))
	}
	return string(text)
}

// show fills a notice and shows it.
func show(tb testing.TB, screen *notice.Screen, template string, values []any) string {
	tb.Helper()
	text, err := screen.Fill(template, values)
	if err == nil {
		err = screen.Show(text)
	}
	if err != nil {
		tb.Fatal(err)
	}
	return text
}
