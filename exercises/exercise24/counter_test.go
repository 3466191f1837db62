package counter_test

import (
	"bytes"
	"errors"
	"io"
	"runtime"
	"strings"
	"testing"
	"weak"

	"onthestack/exercises/exercise24"
)

// check sends a body, and compares everything that Answer's comment promises.
func check(t *testing.T, c *counter.Counter, body []byte) {
	t.Helper()
	checkReader(t, c, body, bytes.NewReader(body))
}

func checkReader(t *testing.T, c *counter.Counter, body []byte, from io.Reader) {
	t.Helper()
	want := answer(body)
	var to connection
	err := c.Answer(&to, from)
	switch {
	case (err == nil) != (want != ""):
		t.Fatalf("wrong error of Answer\n  body: %.80q, %d bytes\n  got:  error %v\n  want: %.60q", body, len(body), err,
			want)
	case to.String() != want:
		t.Fatalf("wrong response\n  body: %.80q, %d bytes\n  got:  %.60q, %d bytes\n  want: %.60q, %d bytes", body,
			len(body), to.String(), to.Len(), want, len(want))
	case want != "" && to.writes != 1:
		t.Fatalf("wrong number of Writes\n  body: %.80q\n  got:  %d\n  want: 1", body, to.writes)
	}
}

func TestAnswer(t *testing.T) {
	c := counter.NewCounter()
	example := []byte(`{"id":"RB000000042","town":"Lund","grams":1250,"express":false}`)
	if got, want := answer(example), `{"id":"RB000000042","town":"Lund","cents":640}`+"\n"; got != want {
		t.Fatalf("the tests are wrong\n  got:  %q\n  want: %q", got, want)
	}
	for _, body := range []string{
		string(example), string(typical("RB1", "Ystad")), `{"grams":1}`, `{"grams":1000}`, `{"grams":1001}`,
		`{"grams":1,"express":true}`, "\n\t {\"grams\": 7 } \r\n", `{"grams":2,"grams":1002}`,
		`{"GRAMS":5,"Id":"x","tOWN":"y"}`, `{"grams":1,"id":null,"town":null,"express":null}`,
		`{"grams":1,"id":"","town":""}`, `{"grams":9223372036854775807,"express":true}`,
		`{"grams":1,"id":"\"\\\/\b\f\n\r\t\u00e9\ud83d\ude00\ud83d","town":"<&>\u2028\u2029"}`,
		"{\"grams\":1,\"id\":\"\xff\xfe é 世\"}",
		// Errors.
		"", " ", "{", "}", "null", "7", `"x"`, "[]", `{"grams":0}`, `{"grams":-1}`, "{}", `{"id":"x"}`,
		`{"grams":1.5}`, `{"grams":"1"}`, `{"grams":1,}`, `{"grams":1}}`, `{"grams":1}{"grams":1}`,
		`{"grams":1} x`, `{"grams":1} {}`, `{"grams":1,"id":7}`, `{"grams":1,"express":"yes"}`,
		`{"grams":9223372036854775808}`, `{"grams":01}`, `{"grams":1,"id":"x}`, `{"grams":1 "id":"x"}`,
		`{'grams':1}`, `{"grams":1,"id":"` + "\n" + `"}`, `{"grams":1` + "\x00}",
	} {
		check(t, c, []byte(body))
		check(t, c, example)
	}
	var to connection
	if err := c.Answer(&to, strings.NewReader(`{"id":"x"}`)); err != counter.ErrWeight {
		t.Errorf("wrong error for a parcel without a weight\n  got:  %v\n  want: %v", err, counter.ErrWeight)
	}
}

// Long and short requests in any order, with some of the fields: nothing of an earlier one
// may show.
func TestRandomRequests(t *testing.T) {
	r := newRand(t)
	c := counter.NewCounter()
	for i := range 600 {
		body := newBody(r, 300, true)
		if i%20 == 0 {
			body = newBody(r, 200_000, true)
		}
		if i%7 == 0 {
			body = body[:r.IntN(len(body))]
		}
		check(t, c, body)
	}
}

// A body comes in pieces. Reading ends with an error, which comes back as it is.
func TestReaders(t *testing.T) {
	r := newRand(t)
	c := counter.NewCounter()
	for i := range 200 {
		body := newBody(r, 3000, true)
		n := 1 + newSize(r, 2000)
		checkReader(t, c, body, &pieces{text: body, n: n, atOnce: i%2 == 0})

		broken := errors.New("the line is broken")
		var to connection
		part := body[:r.IntN(len(body)+1)]
		err := c.Answer(&to, &pieces{text: part, n: n, err: broken, atOnce: i%2 == 0})
		if err != broken || to.writes > 0 {
			t.Fatalf("reading fails after %d of %d bytes\n  got:  error %v, %d Writes\n  want: error %v, 0 Writes",
				len(part), len(body), err, to.writes, broken)
		}
	}
}

// The error of a Write comes back as it is. The next response is not impaired.
func TestWriteError(t *testing.T) {
	r := newRand(t)
	c := counter.NewCounter()
	for range 20 {
		to := connection{err: errors.New("the line is broken")}
		if err := c.Answer(&to, bytes.NewReader(newBody(r, 300, true))); err != to.err {
			t.Fatalf("wrong error when Write fails\n  got:  %v\n  want: %v", err, to.err)
		}
		check(t, c, newBody(r, 300, true))
	}
}

// Counters are independent, also if one answers in the Write of the other.
func TestTwoCounters(t *testing.T) {
	r := newRand(t)
	one, other := counter.NewCounter(), counter.NewCounter()
	for range 50 {
		body := newBody(r, 300, true)
		to := connection{between: func() { check(t, other, newBody(r, 300, true)) }}
		if err := one.Answer(&to, bytes.NewReader(body)); err != nil || to.String() != answer(body) {
			t.Fatalf("a Counter answers in the Write of another\n  got:  %.60q, error %v\n  want: %.60q", to.String(), err,
				answer(body))
		}
	}
}

func inUse() int {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int(m.HeapAlloc)
}

// The buffers of a long request or response are freed by the next collections.
func TestLongIsNotKept(t *testing.T) {
	c := counter.NewCounter()
	check(t, c, typical("RB1", "Lund"))
	long := strings.Repeat("LONG", 1<<18)
	bodies := []string{
		`{"grams":1,"note":"` + long + `"}`, `{"grams":1,"town":"` + long + `"}`, `{"grams":1,"town":"` + long + `"`,
		`{"grams":0,"town":"` + long + `"}`,
	}
	inUse() // twice: what a sync.Pool keeps is there until the second collection
	before := inUse()
	for _, body := range bodies {
		if err := c.Answer(io.Discard, strings.NewReader(body)); (err == nil) != (answer([]byte(body)) != "") {
			t.Fatalf("wrong error of Answer\n  body: %.40q … %q\n  got:  %v\n  want: an error: %t", body, body[len(body)-5:],
				err, err == nil)
		}
		inUse()
		if more := inUse() - before; more > 64<<10 {
			t.Fatalf("too many bytes are in use after a request of %d bytes\n  body: %.40q … %q\n"+
				"  got:  %d more than before\n  want: %d at most", len(body), body, body[len(body)-5:], more, 64<<10)
		}
	}
	runtime.KeepAlive(bodies)
	check(t, c, typical("RB1", "Lund"))
}

// Of many Counters, none keeps a buffer of more than 16 KiB.
func TestManyCounters(t *testing.T) {
	const many = 50
	for _, field := range []string{"note", "town"} {
		body := []byte(`{"grams":1,"` + field + `":"` + strings.Repeat("x", 20<<10) + `"}`)
		counters := make([]*counter.Counter, many)
		before := inUse()
		for i := range counters {
			counters[i] = counter.NewCounter()
			if err := counters[i].Answer(io.Discard, bytes.NewReader(body)); err != nil {
				t.Fatal(err)
			}
		}
		if each := (inUse() - before) / many; each > 18<<10 {
			t.Errorf("each of %d Counters keeps too much after a request\n  body: %.30q, %d bytes\n  got:  %d bytes\n"+
				"  want: %d at most", many, body, len(body), each, 18<<10)
		}
		runtime.KeepAlive(counters)
	}
}

// The Counter lives on, what it was given does not.
func TestKeepsNothing(t *testing.T) {
	c := counter.NewCounter()
	to, from := answerNew(t, c)
	runtime.GC()
	runtime.GC()
	if to.Value() != nil || from.Value() != nil {
		t.Errorf("the Counter keeps what it was given\n  writer: %t\n  body:   %t", to.Value() != nil, from.Value() != nil)
	}
	check(t, c, typical("RB1", "Lund")) // so the Counter was alive all along
}

//go:noinline
func answerNew(t *testing.T, c *counter.Counter) (weak.Pointer[connection], weak.Pointer[pieces]) {
	to, from := &connection{}, &pieces{text: typical("RB1", "Lund"), n: 100}
	if err := c.Answer(to, from); err != nil {
		t.Fatal(err)
	}
	return weak.Make(to), weak.Make(from)
}
