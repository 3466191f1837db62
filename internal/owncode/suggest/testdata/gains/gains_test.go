package gains

import (
	"bytes"
	"io"
	"strings"
	"testing"
)

var (
	long  = []byte(strings.Repeat("long name ", 8))
	names = [][]byte{long, []byte("b"), long}
	more  = 100
)

type one int

func (o one) Walk(f func(int)) { f(int(o)) }

func TestAll(t *testing.T) {
	if got := HoistFunc([]Walker{one(1), one(2)}); got != 3 {
		t.Error(got)
	}
	var b bytes.Buffer
	if WriteConstant(&b); b.String() != "HTTP/1.1 200 OK\r\n" {
		t.Errorf("%q", b.String())
	}
	if got := AppendMade([]int{1}, 2); len(got) != 3 || got[0] != 1 || got[2] != 0 {
		t.Error(got)
	}
	if got := JoinLoop([]string{"a", "b"}); got != "a,b," {
		t.Error(got)
	}
	if got := HexDigits("a/\x00"); got != "%61%2F%00" {
		t.Error(got)
	}
	if got := Perfsprint("Ada"); got != "hello, Ada" {
		t.Error(got)
	}
	if got := Mirror(names); got != 161 {
		t.Error(got)
	}
}

func BenchmarkHoistFunc(b *testing.B) {
	all := make([]Walker, 100)
	for i := range all {
		all[i] = one(i % 100)
	}
	for b.Loop() {
		HoistFunc(all)
	}
}

var greeting, somebody = "", "a name that is not short"

func BenchmarkPerfsprint(b *testing.B) {
	for b.Loop() {
		greeting = Perfsprint(somebody)
	}
}

func BenchmarkMirror(b *testing.B) {
	all := make([][]byte, 100)
	for i := range all {
		all[i] = long
	}
	for b.Loop() {
		Mirror(all)
	}
}

func BenchmarkAppendMade(b *testing.B) {
	numbers := make([]int, 3)
	for b.Loop() {
		AppendMade(numbers, more)
	}
}

func BenchmarkHexDigits(b *testing.B) {
	for b.Loop() {
		HexDigits("\xc3\xa4\xc3\xb6\xc3\xbc")
	}
}

func BenchmarkWriteConstant(b *testing.B) {
	var w io.Writer = io.Discard
	for b.Loop() {
		WriteConstant(w)
	}
}

func BenchmarkJoinLoop(b *testing.B) {
	names := []string{"the first name", "the second name", "a third name", "a fourth name", "a fifth name"}
	for b.Loop() {
		JoinLoop(names)
	}
}
