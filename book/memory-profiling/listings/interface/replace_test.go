package stream_test

import (
	"bytes"
	"math/rand"
	"testing"
	"time"

	stream "onthestack/book/memory-profiling/listings/interface"
)

const log = "07:58 lock 1 opened with 31415 by card 88\n" +
	"08:01 lock 3 refused 3131415 3141 31425\n" +
	"08:02 lock 3 opened with 31415\n" +
	"08:09 lock 2 opened with 3141531415 twice\n" +
	"08:15 lock 1 refused 3141"

const masked = "07:58 lock 1 opened with ***** by card 88\n" +
	"08:01 lock 3 refused 31***** 3141 31425\n" +
	"08:02 lock 3 opened with *****\n" +
	"08:09 lock 2 opened with ********** twice\n" +
	"08:15 lock 1 refused 3141"

func TestLog(t *testing.T) {
	var output bytes.Buffer
	stream.Replace([]byte(log), []byte("31415"), []byte("*****"), &output)
	if got := output.String(); got != masked {
		t.Errorf("got\n%s\nwant\n%s", got, masked)
	}
}

// Two letters only, so that matches, near misses and matches that touch are frequent.
//
// ANCHOR: random
func TestRandom(t *testing.T) {
	seed := time.Now().UnixNano()
	random := rand.New(rand.NewSource(seed))
	word := func(n int) []byte {
		w := make([]byte, n)
		for i := range w {
			w[i] = "ab"[random.Intn(2)]
		}
		return w
	}

	for i := 0; i < 1000; i++ {
		data, find, repl := word(random.Intn(30)), word(1+random.Intn(5)), word(random.Intn(7))
		want := bytes.Replace(data, find, repl, -1)

		var output bytes.Buffer
		stream.Replace(data, find, repl, &output)
		if !bytes.Equal(output.Bytes(), want) {
			t.Fatalf("seed %d: Replace(%q, %q, %q) wrote %q, want %q",
				seed, data, find, repl, output.Bytes(), want)
		}
	}
}

// ANCHOR_END: random

func TestEmptyPattern(t *testing.T) {
	var output bytes.Buffer
	stream.Replace([]byte(log), nil, []byte("*****"), &output)
	if output.String() != log {
		t.Errorf("got %q, want the data unchanged", output.String())
	}
}

// ANCHOR: benchmark
func BenchmarkReplace(b *testing.B) {
	data, find, repl := []byte(log), []byte("31415"), []byte("*****")
	var output bytes.Buffer
	stream.Replace(data, find, repl, &output) // output grows before the clock starts
	b.ResetTimer()

	for i := 0; i < b.N; i++ {
		output.Reset()
		stream.Replace(data, find, repl, &output)
	}
}

// ANCHOR_END: benchmark
