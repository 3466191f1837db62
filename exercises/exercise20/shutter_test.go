package shutter_test

import (
	"strings"
	"testing"
	"time"

	"onthestack/exercises/exercise20"
)

var night = time.Date(2015, 2, 19, 21, 30, 5, 250117999, time.UTC)

// check appends a line to buffers that are too small and to some that have more than enough room.
func check(t *testing.T, log *shutter.Log, digits int, opened, closed time.Time, target string) {
	t.Helper()
	const call = "\n  digits: %d\n  opened: %v\n  closed: %v\n  target: %.80q"
	line := lineOf(digits, opened, closed, target)
	// AppendFormat writes all digits of a fraction, and cuts off some.
	used := max(len(line), len(timeOf(digits, opened)+"/"+timeOf(9, closed)))
	const before = "what was in the buffer before\n"
	for _, room := range []int{0, 1, len(line) - 1, len(line), len(line) + 64} {
		buf := append(make([]byte, 0, len(before)+room), before...)
		behind := buf[len(buf):cap(buf)]
		for i := range behind {
			behind[i] = '#'
		}
		got := log.AppendLine(buf, opened, closed, target)
		if want := before + line; string(got) != want {
			from := 0
			for from < min(len(got), len(want)) && got[from] == want[from] {
				from++
			}
			shown := max(0, from-40)
			t.Fatalf("wrong line, from byte %d on, shown from byte %d on"+call+"\n  got:    %.300q\n  want:   %.300q",
				from, shown, digits, opened, closed, target, got[shown:], want[shown:])
		}
		if string(buf) != before {
			t.Fatalf("AppendLine changes what was in the buffer before"+call+"\n  got:    %q\n  want:   %q",
				digits, opened, closed, target, buf, before)
		}
		if room > len(line) && &got[0] != &buf[0] {
			t.Fatalf("the buffer has room for the line, but the line is elsewhere"+call, digits, opened, closed, target)
		}
		if rest := behind[min(used, len(behind)):]; strings.Trim(string(rest), "#") != "" {
			t.Fatalf("AppendLine changes bytes of the buffer's array behind the line"+call+"\n  got:    %q\n  want:   %q",
				digits, opened, closed, target, rest, strings.Repeat("#", len(rest)))
		}
	}
}

func TestAppendLine(t *testing.T) {
	for _, test := range []struct {
		digits         int
		opened, closed time.Time
		target, want   string
	}{
		{0, night, night.Add(time.Minute), "M31", "2015-02-19T21:30:05Z/2015-02-19T21:31:05Z M31\n"},
		{1, night, night.Add(time.Hour), "M 31", "2015-02-19T21:30:05.2Z/2015-02-19T22:30:05.2Z M 31\n"},
		{3, night, night, "", "2015-02-19T21:30:05.250Z/2015-02-19T21:30:05.250Z \n"},
		{9, night, night, "é\xff", "2015-02-19T21:30:05.250117999Z/2015-02-19T21:30:05.250117999Z é\xff\n"},
		{2, night.In(time.FixedZone("", 5*3600+45*60)), night.In(time.FixedZone("", -1800)), "/",
			"2015-02-20T03:15:05.25+05:45/2015-02-19T21:00:05.25-00:30 /\n"},
		{9, time.Date(2000, 2, 29, 0, 0, 0, 0, time.UTC), time.Date(1900, 2, 28, 24, 0, 0, 1, time.UTC), "x",
			"2000-02-29T00:00:00.000000000Z/1900-03-01T00:00:00.000000001Z x\n"},
		{0, time.Time{}, time.Date(9999, 12, 31, 23, 59, 59, 999999999, time.UTC), "x",
			"0001-01-01T00:00:00Z/9999-12-31T23:59:59Z x\n"},
	} {
		log := shutter.NewLog(test.digits)
		if got := string(log.AppendLine(nil, test.opened, test.closed, test.target)); got != test.want {
			t.Errorf("wrong line\n  digits: %d\n  opened: %v\n  closed: %v\n  target: %q\n  got:    %q\n  want:   %q",
				test.digits, test.opened, test.closed, test.target, got, test.want)
		}
		check(t, log, test.digits, test.opened, test.closed, test.target)
	}
}

// Logs of all digits, each of which writes many lines.
func TestRandomLines(t *testing.T) {
	r := newRand(t)
	var logs [10]*shutter.Log
	for digits := range logs {
		logs[digits] = shutter.NewLog(digits)
	}
	for i := range 1000 {
		digits := i % 10
		check(t, logs[digits], digits, randomTime(r), randomTime(r), randomTarget(r, 40))
	}
}

// Every third year of four digits and some of others, every day of a year and of a leap
// year, all hours, minutes and seconds, and every zone that is in use.
func TestEveryTime(t *testing.T) {
	r := newRand(t)
	times := func(at time.Time, n int, next func(time.Time) time.Time) {
		t.Helper()
		for i := range n {
			then := next(at)
			check(t, shutter.NewLog(i%10), i%10, at, then, "x")
			at = then
		}
	}
	times(night.AddDate(-2015+r.IntN(5), 0, 0), 2000, func(at time.Time) time.Time { return at.AddDate(5, 0, 0) })
	times(night.AddDate(-5000, 0, 0), 200, func(at time.Time) time.Time { return at.AddDate(90+r.IntN(20), 0, 0) })
	for _, year := range []int{1900, 2024} {
		newYear := time.Date(year, 1, 1, 0, 0, 0, 0, time.UTC)
		times(newYear, 366, func(at time.Time) time.Time { return at.AddDate(0, 0, 1) })
	}
	times(night, 8*60, func(at time.Time) time.Time { return at.Add(3*time.Minute + time.Second) })
	offset := -12 * 3600
	times(night, 26*4+1, func(at time.Time) time.Time {
		zone := time.FixedZone("", offset)
		offset += 15 * 60
		return at.In(zone)
	})
}

// Clocks of one place differ in summer and in winter, and a log gets times of many places.
func TestSummerTime(t *testing.T) {
	r := newRand(t)
	log := shutter.NewLog(3)
	for _, zone := range zones {
		for month := range 12 {
			winter := night.AddDate(r.IntN(100), month, 0).In(zone)
			check(t, log, 3, winter, winter.AddDate(0, 6, 0), "x")
		}
	}
}

// A solution may treat lengths differently, so each one gets its turn, and some are huge.
func TestEveryLength(t *testing.T) {
	r := newRand(t)
	log := shutter.NewLog(9)
	lengths := []int{
		32<<10 + 1 + r.IntN(1<<10), 64<<10 + 1 + r.IntN(1<<10), 128<<10 + 1 + r.IntN(1<<10), 1<<20 + 1 + r.IntN(1<<20),
	}
	for n := 1; n <= 16<<10; n *= 2 {
		lengths = append(lengths, n+1, n+r.IntN(n))
	}
	for n := range 140 {
		lengths = append(lengths, n)
	}
	for _, n := range lengths {
		check(t, log, 9, randomTime(r), randomTime(r), strings.Repeat("y", n)+"z")
	}
}

// The buffer has many lines already.
func TestLongBuffer(t *testing.T) {
	r := newRand(t)
	log := shutter.NewLog(3)
	line := lineOf(3, night, night, "M31")
	for _, n := range []int{1, 10, 100, 1000, 4000, 40000} {
		before := strings.Repeat(line, n+r.IntN(n))
		if got := string(log.AppendLine([]byte(before), night, night, "M31")); got != before+line {
			t.Fatalf("wrong buffer after %d lines of %d bytes\n  got:  %d bytes, at the end %.80q\n"+
				"  want: %d bytes, at the end %q", len(before)/len(line), len(line),
				len(got), got[max(0, len(got)-2*len(line)):], len(before)+len(line), line+line)
		}
	}
}

// A line stays as it is while the log writes others.
func TestEarlierLines(t *testing.T) {
	r := newRand(t)
	log := shutter.NewLog(6)
	var lines [][]byte
	var want []string
	for range 300 {
		opened, closed, target := randomTime(r), randomTime(r), randomTarget(r, 60)
		lines = append(lines, log.AppendLine(nil, opened, closed, target))
		want = append(want, lineOf(6, opened, closed, target))
	}
	for i, line := range lines {
		if string(line) != want[i] {
			t.Fatalf("line %d of %d was changed by a later call\n  got:  %q\n  want: %q", i, len(lines), line, want[i])
		}
	}
}
