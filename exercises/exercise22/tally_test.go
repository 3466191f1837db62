package tally_test

import (
	"bytes"
	"maps"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	"onthestack/exercises/exercise22"
)

// A watch is a tally beside the counts that it is compared with.
type watch struct {
	tally  tally.Tally
	counts map[string]int
	room   []byte // of every line, which the next one overwrites
}

// line counts a line, which is about a door, or about none if that is "".
func (w *watch) line(t *testing.T, line []byte, door string) {
	t.Helper()
	w.room = append(w.room[:0], line...)
	w.tally.Line(w.room)
	if !bytes.Equal(w.room, line) {
		t.Fatalf("Line changes the line\n  got:  %.60q\n  want: %.60q", w.room, line)
	}
	for i := range w.room {
		w.room[i] = '!'
	}
	if w.counts == nil {
		w.counts = map[string]int{}
	}
	if door != "" {
		w.counts[door]++
		if got := w.tally.Count(door); got != w.counts[door] {
			t.Fatalf("wrong count\n  line: %.60q\n  door: %.40q, %d bytes\n  got:  %d\n  want: %d",
				line, door, len(door), got, w.counts[door])
		}
	}
}

func (w *watch) compare(t *testing.T) {
	t.Helper()
	if got, want := w.tally.Doors(), slices.Sorted(maps.Keys(w.counts)); !slices.Equal(got, want) {
		t.Fatalf("wrong doors\n  got:  %.20q\n  want: %.20q", first(got), first(want))
	}
	for door, want := range w.counts {
		if got := w.tally.Count(door); got != want {
			t.Fatalf("wrong count, among %d doors\n  door: %.40q, %d bytes\n  got:  %d\n  want: %d",
				len(w.counts), door, len(door), got, want)
		}
	}
}

// first returns the first few doors, for a message.
func first(doors []string) []string { return doors[:min(len(doors), 8)] }

func TestLine(t *testing.T) {
	var w watch
	for _, test := range []struct{ line, door string }{
		{"07:58 garage opened by card 88", "garage"},
		{"07:58 garage", "garage"},
		{"a b", "b"},
		{"a b ", "b"},
		{" a b", "b"},
		{"\ta\tb\tc", "b"},
		{" \t a \t\t b \t", "b"},
		{"", ""},
		{" ", ""},
		{"\t \t", ""},
		{"a", ""},
		{"a ", ""},
		{" a\t", ""},
		{"a\nb c", "c"},
		{"a b\nc", "b\nc"},
		{"a \n", "\n"},
		{"a\u00a0b c\u2003d", "c\u2003d"},
		{"a \xff\xfe b", "\xff\xfe"},
		{"\x00 \x00 \x00", "\x00"},
		{"é é", "é"},
		{"a hall", "hall"},
		{"b Hall", "Hall"},
		{"hall b", "b"},
	} {
		w.line(t, []byte(test.line), test.door)
		w.compare(t)
	}
	for _, door := range []string{"", "a", "gar", "garages", "07:58", "opened"} {
		if got := w.tally.Count(door); got != 0 {
			t.Errorf("a door that no line was about\n  door: %q\n  got:  %d\n  want: 0", door, got)
		}
	}
}

func TestEmpty(t *testing.T) {
	var w watch
	w.tally.Line(nil)
	w.line(t, nil, "")
	w.compare(t)
	if got := w.tally.Count("garage"); got != 0 {
		t.Errorf("wrong count of an empty tally\n  got:  %d\n  want: 0", got)
	}
}

func TestRandomLogs(t *testing.T) {
	r := newRand(t)
	var line []byte
	for range 100 {
		var w watch
		doors := make([]string, 1+r.IntN(30))
		for i := range doors {
			doors[i] = newDoor(r, 1+r.IntN(60))
		}
		for range 60 {
			door := doors[r.IntN(len(doors))]
			line = appendLine(r, line[:0], door)
			w.line(t, line, door)
		}
		w.compare(t)
	}
}

// Doors of every length, of which two differ in one byte only.
func TestLongDoors(t *testing.T) {
	r := newRand(t)
	var w watch
	for n := 1; n <= 256<<10; n *= 4 {
		long := strings.Repeat("x", n+r.IntN(n))
		middle := long[:len(long)/2] + "!" + long[len(long)/2:] + "x"
		for _, door := range []string{long, long + "!", long + "?", "!" + long, middle, long} {
			w.line(t, append([]byte("07:58 "), door...), door)
		}
		w.line(t, []byte(long+"\t"+middle+" opened"), middle)
	}
	w.compare(t)
}

// Doors of more than 1 MiB, which differ in their last byte, and as long a field in front.
func TestHugeDoors(t *testing.T) {
	var w watch
	long := strings.Repeat("x", 1<<20+newRand(t).IntN(1<<10))
	for _, door := range []string{long + "!", long + "?", long + "!"} {
		w.line(t, []byte("07:58\t"+door), door)
	}
	w.line(t, []byte(long+" !"), "!")
	w.compare(t)
}

// Fields and blanks may be of any length, also around the door.
func TestLongLines(t *testing.T) {
	r := newRand(t)
	var w watch
	for n := 1; n <= 64<<10; n *= 4 {
		n := n + r.IntN(n)
		blanks, long := strings.Repeat(" \t", n), strings.Repeat("y", n)
		for _, line := range []string{
			blanks + "a b", "a" + blanks + "b", "a b" + blanks, long + " b", "a b " + long,
			blanks + long + blanks + "b" + blanks + long,
		} {
			w.line(t, []byte(line), "b")
		}
		w.line(t, []byte(blanks), "")
		w.line(t, []byte(long+blanks), "")
	}
	w.compare(t)
}

// There is no limit to the doors, nor to the lines about one of them.
func TestManyDoors(t *testing.T) {
	const many = 1<<16 + 100
	w := watch{counts: make(map[string]int, many)}
	var line []byte
	for i := range 2 * many {
		door := max(7, i-many)
		line = strconv.AppendInt(append(line[:0], "a d"...), int64(door), 10)
		w.tally.Line(line)
		if door > 7 {
			w.counts[string(line[2:])] = 1
		}
	}
	w.counts["d7"] = many + 8
	w.compare(t)
}

// Of a line, the tally keeps no more than the name of the door, once.
func TestMemory(t *testing.T) {
	for _, doors := range []int{1, 20, 1000} {
		line := append([]byte("07:58 door-0000 "), make([]byte, 24<<10/(1+doors/20))...)
		got := kept(1+20/doors, func() *tally.Tally {
			w := new(tally.Tally)
			for i := range 3 * doors {
				copy(line[len("07:58 door-"):], strconv.Itoa(1000+i%doors))
				w.Line(line)
			}
			return w
		})
		if want := 8<<10 + (256+9)*doors; got > want {
			t.Errorf("a tally keeps more memory than its doors take\n"+
				"  doors: %d, in lines of %d bytes\n  got:   %d bytes\n  want:  at most %d bytes",
				doors, len(line), got, want)
		}
	}
}

func TestTwoTallies(t *testing.T) {
	r := newRand(t)
	var watches [2]watch
	for range 300 {
		door := newDoor(r, 2)
		watches[r.IntN(2)].line(t, appendLine(r, nil, door), door)
	}
	watches[0].compare(t)
	watches[1].compare(t)
}

// Doors returns a slice that is the caller's.
func TestDoorsAreTheCallers(t *testing.T) {
	var w watch
	for _, door := range []string{"c", "a", "b"} {
		w.line(t, []byte("07:58 "+door), door)
	}
	before := w.tally.Doors()
	before[0] = "z"
	w.compare(t)
}

// Each goroutine has a tally of its own. All count the same line.
func TestAtOnce(t *testing.T) {
	line := []byte("07:58 garage opened")
	var logs sync.WaitGroup
	for range 8 {
		logs.Go(func() {
			var w tally.Tally
			for i := range 100 {
				w.Line(line)
				if got := w.Count("garage"); got != i+1 {
					t.Errorf("wrong count when goroutines each have a tally\n  got:  %d\n  want: %d", got, i+1)
					return
				}
			}
		})
	}
	logs.Wait()
}
