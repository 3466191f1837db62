package till_test

import (
	"bytes"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"

	till "onthestack/exercises/exercise12"
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

// anySize returns a number from 1 to most, of any order of magnitude: no constant covers what it returns.
func anySize(r *rand.Rand, most int) int {
	return int(math.Exp(r.Float64() * math.Log(float64(most+1))))
}

// added returns what Add must return, by other means.
func added(roll string) (till.Sums, error) {
	var sums till.Sums
	lines := strings.Split(roll, "\n")
	if lines[len(lines)-1] == "" {
		lines = lines[:len(lines)-1] // what follows the last newline is no line
	}
	for i, line := range lines {
		var pieces, whole, part int64
		var kind, rate string
		n, _ := fmt.Sscanf(line, "%d %s %d.%2d %s", &pieces, &kind, &whole, &part, &rate)
		cents := 100*whole + part
		// Sscanf is generous. What it read must be what stands there, number by number.
		number := func(s string) string { return strings.TrimLeft(s, "0123456789") }
		fields := strings.Split(line, " ")
		switch {
		case n == 5 && kind == "x" && (rate == "A" || rate == "B") && len(fields) == 4 && fields[3] == rate:
		case n == 4 && kind == "back" && len(fields) == 3:
		default:
			return till.Sums{}, till.Error(i + 1)
		}
		price := strings.Split(fields[2], ".")
		if len(price) != 2 || len(price[1]) != 2 || fields[1] != kind {
			return till.Sums{}, till.Error(i + 1)
		}
		for _, s := range []string{fields[0], price[0], price[1]} {
			if len(s) < 1 || len(s) > 9 || number(s) != "" {
				return till.Sums{}, till.Error(i + 1)
			}
		}
		switch {
		case kind == "back":
			sums.Back += pieces * cents
		case rate == "A":
			sums.A += pieces * cents
			sums.Pieces += pieces
		default:
			sums.B += pieces * cents
			sums.Pieces += pieces
		}
	}
	return sums, nil
}

// randomNumber returns one to limit digits.
func randomNumber(r *rand.Rand, limit int) string {
	digits := make([]byte, 1+r.IntN(limit))
	for i := range digits {
		digits[i] = byte('0' + r.IntN(10))
	}
	return string(digits)
}

// randomLine returns a line that can be read.
func randomLine(r *rand.Rand) string {
	price := fmt.Sprintf("%s.%02d", randomNumber(r, 9), r.IntN(100))
	if r.IntN(3) == 0 {
		return randomNumber(r, 9) + " back " + price
	}
	return randomNumber(r, 9) + " x " + price + [...]string{" A", " B"}[r.IntN(2)]
}

// brokenLine returns a line with one place changed, which as a rule makes it none.
func brokenLine(r *rand.Rand) string {
	line := []byte(randomLine(r))
	at := r.IntN(len(line))
	switch r.IntN(3) {
	case 0:
		line[at] = "0 .ABCx-\r"[r.IntN(9)]
	case 1:
		line = slices.Delete(line, at, at+1)
	case 2:
		line = slices.Insert(line, at, "0 .ABCx-\r"[r.IntN(9)])
	}
	return string(line)
}

// A roll of the benchmark: lines whose prices change, and what they add up to.
type roll struct {
	text   []byte
	prices []int // where the price of each line begins
	pieces []int64
	kinds  []byte // 'A', 'B' or 'r' for what came back

	others till.Sums // of lines whose prices do not change
}

// newRoll returns a roll of n lines, a multiple of eight: three sales and one return in
// four lines, in any order.
func newRoll(r *rand.Rand, n int) roll {
	var f roll
	f.kinds = bytes.Repeat([]byte("ABABABrr"), n/8)
	r.Shuffle(len(f.kinds), func(i, j int) { f.kinds[i], f.kinds[j] = f.kinds[j], f.kinds[i] })
	for _, kind := range f.kinds {
		pieces := 1 + r.Int64N(20)
		word, rate := " x ", " "+string(rune(kind))
		if kind == 'r' {
			word, rate = " back ", ""
		}
		f.text = append(f.text, strconv.FormatInt(pieces, 10)+word...)
		f.prices = append(f.prices, len(f.text))
		f.pieces = append(f.pieces, pieces)
		f.text = append(f.text, "000.00"+rate+"\n"...)
	}
	f.text = slices.Clip(f.text)
	return f
}

// newOther returns a roll of n lines with any prices, which do not change.
func newOther(r *rand.Rand, n int) roll {
	lines := make([]string, n)
	for i := range lines {
		lines[i] = randomLine(r)
	}
	text := strings.Join(lines, "\n")
	if n%2 == 1 {
		text += "\n"
	}
	sums, _ := added(text)
	return roll{text: slices.Clip([]byte(text)), others: sums}
}

// setPrices gives every line another price and returns the new sums. It
// allocates nothing.
func (f *roll) setPrices(clock int) till.Sums {
	sums := f.others
	for i, at := range f.prices {
		cents := int64(clock+7919*i) % 100000
		price, rest := f.text[at:at+len("000.00")], cents
		for j := len(price) - 1; j >= 0; j-- {
			if price[j] == '.' {
				continue
			}
			price[j] = byte('0' + rest%10)
			rest /= 10
		}
		switch f.kinds[i] {
		case 'A':
			sums.A += f.pieces[i] * cents
			sums.Pieces += f.pieces[i]
		case 'B':
			sums.B += f.pieces[i] * cents
			sums.Pieces += f.pieces[i]
		default:
			sums.Back += f.pieces[i] * cents
		}
	}
	return sums
}
