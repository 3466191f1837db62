package counter_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"os"
	"strconv"
	"strings"
	"testing"
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

// newSize returns a number from 0 to most-1. All orders of magnitude are equally likely, so
// that no constant is beyond the numbers of all runs.
func newSize(r *rand.Rand, most int) int {
	return int(math.Pow(float64(most), r.Float64())) - 1
}

// typical returns the text of a request, most of which does not matter.
func typical(id, town string) []byte {
	return fmt.Appendf(nil, `{
	"id": %q,
	"town": %q,
	"grams": 1250,
	"express": false,
	"sender": "Ada Lindqvist, Stora Algatan 4, Ystad",
	"receiver": "Erik Berg, Bredgatan 19 B",
	"phone": "+46 46 555 01 42",
	"contents": "three books, and a vase between the books",
	"value": 120000,
	"fragile": true,
	"note": "Leave it with the neighbor on the left if nobody is at home, and not with the one on the right.",
	"office": 211,
	"number": 4,
	"clerk": "Maja",
	"time": "2026-11-02T07:42:00Z",
	"version": "3.1.4"
}
`, id, town)
}

// text returns n letters that are the same in JSON.
func text(r *rand.Rand, n int) string {
	const letters = "aabbcdeé  ,:;0123456789世"
	all := []rune(letters)
	var b strings.Builder
	for range n {
		b.WriteRune(all[r.IntN(len(all))])
	}
	return b.String()
}

// newBody returns a request with some of the fields, in any order, and with others, which may
// have values inside.
func newBody(r *rand.Rand, most int, inside bool) []byte {
	fields := []string{
		fmt.Sprintf(`"id": "%s"`, text(r, newSize(r, most))), fmt.Sprintf(`"town":"%s"`, text(r, newSize(r, most))),
		fmt.Sprintf(`"grams" : %d`, 1+newSize(r, 1e9)), fmt.Sprintf(`"express":%t`, r.IntN(2) == 0),
		fmt.Sprintf(`"note":"%s"`, text(r, newSize(r, most))), `"more": {"grams": -7, "id": ["x", null, 1e3]}`,
		`"list": [[], [{"town": "Nowhere"}], 1.5, false]`,
	}
	if !inside {
		fields = fields[:5]
	}
	r.Shuffle(len(fields), func(i, j int) { fields[i], fields[j] = fields[j], fields[i] })
	kept := fields[:0]
	for _, f := range fields {
		if strings.Contains(f, "grams\" :") || r.IntN(4) > 0 {
			kept = append(kept, f)
		}
	}
	return []byte("{" + strings.Join(kept, ",") + "}")
}

// answer returns what Answer must write for a body, "" if it must return an error.
func answer(body []byte) string {
	var q struct {
		ID      string `json:"id"`
		Town    string `json:"town"`
		Grams   int    `json:"grams"`
		Express bool   `json:"express"`
	}
	if err := json.Unmarshal(body, &q); err != nil || q.Grams <= 0 {
		return ""
	}
	cents := 490 + (q.Grams-1)/1000*150
	if q.Express {
		cents += cents
	}
	id, _ := json.Marshal(q.ID)
	town, _ := json.Marshal(q.Town)
	return fmt.Sprintf(`{"id":%s,"town":%s,"cents":%d}`+"\n", id, town, cents)
}

// A connection is what a response is written to.
type connection struct {
	bytes.Buffer
	writes  int
	err     error  // of Write; nil for none
	between func() // is called in Write, before the bytes are read; nil for nothing
}

func (c *connection) Write(p []byte) (int, error) {
	c.writes++
	if c.between != nil {
		c.between()
	}
	if c.err != nil {
		return 0, c.err
	}
	return c.Buffer.Write(p)
}

// A pieces reader returns a text in pieces of up to n bytes, and then an error, io.EOF if err
// is nil: with the last piece, or after it.
type pieces struct {
	text   []byte
	n      int
	err    error
	atOnce bool
}

func (p *pieces) Read(b []byte) (int, error) {
	n := copy(b[:min(len(b), p.n)], p.text)
	p.text = p.text[n:]
	if len(p.text) == 0 && (n == 0 || p.atOnce) {
		if p.err != nil {
			return n, p.err
		}
		return n, io.EOF
	}
	return n, nil
}
