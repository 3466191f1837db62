package label_test

import (
	"bytes"
	"math/rand/v2"
	"testing"

	label "onthestack/book/buffer-bootstrap/listings/pointer"
)

// word returns n random bytes.
func word(n int) []byte {
	w := make([]byte, n)
	for i := range w {
		w[i] = byte(rand.N(256))
	}
	return w
}

// Every size up to three times the 64 bytes, and some that are larger.
func TestPrint(t *testing.T) {
	for size := range 200 {
		checkPrint(t, word(size))
	}
	for _, size := range []int{1024, 4096, 100_000} {
		checkPrint(t, word(size))
	}
}

func checkPrint(t *testing.T, text []byte) {
	t.Helper()
	want := string(bytes.Clone(text))
	got := label.Print(text)
	for i := range text {
		text[i]++ // what was printed must not change with it
	}
	if got != want {
		t.Fatalf("a text of %d bytes: got %.80q, want %.80q", len(text), got, want)
	}
}

// Texts in several parts: in the array, across its end, and far beyond it.
func TestWrite(t *testing.T) {
	for range 2000 {
		var want []byte
		buf := label.New()
		for range rand.N(8) {
			part := word(rand.N([]int{1, 8, 40, 64, 65, 300}[rand.N(6)] + 1))
			want = append(want, part...)
			buf.Write(part)
			clear(part) // the buffer must have copied it
			if got := buf.String(); got != string(want) {
				t.Fatalf("after %d bytes: got %.80q, want %.80q", len(want), got, want)
			}
		}
	}
}
