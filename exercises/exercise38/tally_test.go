package tally_test

import (
	"bytes"
	"maps"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	"onthestack/exercises/exercise38"
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

// Of a line, the tally keeps no more than the name of the door, once, however many lines
// were about it.
func TestMemory(t *testing.T) {
	r := newRand(t)
	for _, test := range []struct{ doors, name, line, lines int }{
		{1, 4, 24 << 10, 3}, {1, 4, 10, 20_000}, {20, 4, 12 << 10, 60}, {1000, 4, 400, 3000},
		{1, newSize(r, 1<<19), 10, 3}, {30, 4<<10 + newSize(r, 1<<14), 10, 60}, {1000, 300 + r.IntN(300), 10, 3000},
	} {
		prefix := []byte("07:58 " + strings.Repeat("n", test.name) + "0000")
		line := append(slices.Clone(prefix), make([]byte, 1+test.line)...)
		line[len(prefix)] = ' '
		got := kept(1+20/test.doors, func() *tally.Tally {
			w := new(tally.Tally)
			for i := range test.lines {
				copy(line[len(prefix)-4:], strconv.Itoa(1000+i%test.doors))
				w.Line(line)
			}
			w.Doors()
			return w
		})
		name := test.name + 4
		if want := 8<<10 + (256+name+name/4)*test.doors; got > want { // an eighth is lost to size classes
			t.Errorf("a tally keeps more memory than its doors take\n"+
				"  doors: %d with names of %d bytes\n  lines: %d of %d bytes\n"+
				"  got:   %d bytes\n  want:  at most %d bytes", test.doors, name, test.lines, len(line), got, want)
		}
	}
}

// Doors that are different and look alike: they have the same letters, or the same hash. A
// polynomial over bytes, whatever its base, cannot tell the last two apart.
func TestAlike(t *testing.T) {
	words := [2]string{"a", "b"}
	for range 12 {
		words[0], words[1] = words[0]+words[1], words[1]+words[0]
	}
	var w watch
	for _, pair := range [][2]string{
		{"north", "thorn"}, {"AaAaBB", "BBAaAa"}, {"Aa", "BB"}, {"costarring", "liquid"},
		{"8yn0iYCKYHlIj4-BwPqk", "GReLUrM4wMqfg9yzV3KQ"}, {"plumless", "buckeroo"}, {"hetairas", "mentioner"},
		{"\x00a", "a"}, {"a\x00", "a"}, {"a", "A"}, words,
	} {
		for _, door := range []string{pair[0], pair[1], pair[0]} {
			w.line(t, []byte("07:58 "+door), door)
		}
	}
	w.compare(t)
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

// Doors returns a slice that is the caller's: it stays as it is, and what the caller does with
// it changes nothing.
func TestDoorsAreTheCallers(t *testing.T) {
	r := newRand(t)
	var w watch
	var results, copies [][]string
	for range 40 {
		for range 1 + r.IntN(3) {
			door := newDoor(r, 3)
			w.line(t, []byte("07:58 "+door), door)
		}
		w.compare(t)
		doors := w.tally.Doors()
		doors[r.IntN(len(doors))] = "changed by the caller"
		results, copies = append(results, doors), append(copies, slices.Clone(doors))
		_ = append(doors, "appended by the caller")
	}
	w.compare(t)
	for i := range results {
		if !slices.Equal(results[i], copies[i]) {
			t.Fatalf("a later call changes an earlier result of Doors\n  got:  %.20q\n  want: %.20q", first(results[i]),
				first(copies[i]))
		}
	}
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
