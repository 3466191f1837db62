package shutter_test

import (
	"bytes"
	"strings"
	"testing"
	"time"

	"onthestack/exercises/exercise20"
)

// BenchmarkAppendLineConfirmAny writes times of any year and zone, with any number of digits, and
// targets of any length. No two lines are alike.
func BenchmarkAppendLineConfirmAny(b *testing.B) {
	type exposure struct {
		opened, closed time.Time
		target         string
	}
	r := newRand(b)
	const longest = 512 << 10
	exposures := make([]exposure, 500)
	for i := range exposures {
		length := anySize(r, 4<<10)
		if i%100 == 99 {
			length = 64<<10 + anySize(r, longest-64<<10)
		}
		exposures[i] = exposure{randomTime(r), randomTime(r), strings.Repeat("x", length)}
	}
	exposures[0].target = strings.Repeat("x", longest-r.IntN(64<<10))
	var logs [10]*shutter.Log // by their digits
	for digits := range logs {
		logs[digits] = shutter.NewLog(digits)
	}
	buf, want := make([]byte, 0, longest+1<<10), make([]byte, 0, longest+1<<10)

	for i := 0; b.Loop(); i++ {
		e, digits := &exposures[i%len(exposures)], (i+i/len(exposures))%len(logs)
		e.opened, e.closed = e.opened.Add(time.Second+1), e.closed.Add(time.Hour+1)
		want = append(e.opened.AppendFormat(want[:0], layouts[digits]), '/')
		want = append(e.closed.AppendFormat(want, layouts[digits]), ' ')
		want = append(append(want, e.target...), '\n')
		buf = logs[digits].AppendLine(buf[:0], e.opened, e.closed, e.target)
		if !bytes.Equal(buf, want) {
			b.Fatalf("wrong line\n  digits: %d\n  got:    %.300q\n  want:   %.300q", digits, buf, want)
		}
	}
}
