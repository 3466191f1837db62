package harbor_test

import (
	"strings"
	"sync"
	"testing"

	"onthestack/exercises/exercise36"
)

// find returns the call that a line is about.
func find(line string) (harbor.Call, bool) {
	words := strings.Split(line, " ")
	if len(words) < 2 || words[0] == "" || words[1] == "" {
		return harbor.Call{}, false
	}
	return harbor.Call{Ship: words[0], Quay: words[1]}, true
}

func check(t *testing.T, line string) {
	t.Helper()
	got, ok := harbor.Parse(line)
	if want, found := find(line); got != want || ok != found {
		t.Fatalf("wrong call\n  line: %.60q, %d bytes\n  got:  %.40q at %.40q, %v\n  want: %.40q at %.40q, %v", line,
			len(line), got.Ship, got.Quay, ok, want.Ship, want.Quay, found)
	}
}

func TestParse(t *testing.T) {
	for _, line := range []string{
		"Silvia Southquay left at 07:58, calm sea, 240 passengers", "Silvia Southquay", "Silvia Southquay ", "S Q",
		"S Q ", "S  Q", " S Q", "S ", " S", "S", "", " ", "  ", "   ", "S\tQ R", "S\nQ R\n", "S Q\n", "S \n", "\t \t",
		"\x00 \xff x", "é è", "S\u00a0Q R", "S Q  R", "S=1 Q", "left at left at",
	} {
		check(t, line)
	}
}

func TestRandomLines(t *testing.T) {
	r := newRand(t)
	for range 2000 {
		var line strings.Builder
		for range r.IntN(6) {
			line.WriteString(newWord(r, 20)[r.IntN(2):])
			line.WriteString(strings.Repeat(" ", 1+r.IntN(8)/7))
		}
		check(t, line.String())
		check(t, strings.TrimSpace(line.String()))
	}
}

// Words and remarks of every length.
func TestLongLines(t *testing.T) {
	r := newRand(t)
	for n := 1; n <= 1<<20; n *= 2 {
		long := strings.Repeat("x", n+r.IntN(n))
		lines := []string{
			long + "! " + long + "? " + long, long + " Q", "S " + long, "S Q " + long, long, long + " ", " " + long,
			"S  " + long,
		}
		if n > 64<<10 {
			lines = lines[:3] // all of them would take long under WebAssembly
		}
		for _, line := range lines {
			check(t, line)
		}
	}
}

// A call stays as it is when others are parsed.
func TestManyCalls(t *testing.T) {
	r := newRand(t)
	var lines []string
	var calls []harbor.Call
	for range 5000 {
		line := newWord(r, 30) + " " + newWord(r, 30) + " left"
		call, ok := harbor.Parse(line)
		if !ok {
			t.Fatalf("no call\n  line: %q", line)
		}
		lines, calls = append(lines, line), append(calls, call)
	}
	for i, line := range lines {
		if want, _ := find(line); calls[i] != want {
			t.Fatalf("a later call changes an earlier one\n  line: %q\n  got:  %q at %q\n  want: %q at %q", line,
				calls[i].Ship, calls[i].Quay, want.Ship, want.Quay)
		}
	}
}

// Goroutines parse the same lines at once.
func TestAtOnce(t *testing.T) {
	var pilots sync.WaitGroup
	for range 8 {
		pilots.Go(func() {
			for range 100 {
				got, ok := harbor.Parse("Silvia Southquay left")
				if want := (harbor.Call{Ship: "Silvia", Quay: "Southquay"}); got != want || !ok {
					t.Errorf("wrong call when goroutines parse at once\n  got:  %v, %v\n  want: %v, true",
						got, ok, want)
					return
				}
			}
		})
	}
	pilots.Wait()
}
