package gains

import (
	"strings"
	"testing"
)

var (
	long  = []byte(strings.Repeat("long name ", 8))
	names = [][]byte{long, []byte("b"), long}
)

type one int

func (o one) Walk(f func(int)) { f(int(o)) }

func TestAll(t *testing.T) {
	if got := HoistFunc([]Walker{one(1), one(2)}); got != 3 {
		t.Error(got)
	}
	if got := JoinLoop([]string{"a", "b"}); got != "a,b," {
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

func BenchmarkJoinLoop(b *testing.B) {
	names := []string{"the first name", "the second name", "a third name", "a fourth name", "a fifth name"}
	for b.Loop() {
		JoinLoop(names)
	}
}
