package weather_test

import (
	"bytes"
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"sync"
	"testing"

	weather "onthestack/book/heap-optimization/listings/pool-caller"
)

func randomReport() weather.Report {
	return weather.Report{
		Station: strings.Repeat("x", 1+rand.IntN(30)),
		Tenths:  rand.IntN(1200) - 600,
		Wind:    rand.IntN(200),
	}
}

func text(r weather.Report) string {
	sign, tenths := "", r.Tenths
	if tenths < 0 {
		sign, tenths = "-", -tenths
	}
	return fmt.Sprintf("%s %s%d.%d C, %d km/h\n", r.Station, sign, tenths/10, tenths%10, r.Wind)
}

func TestSend(t *testing.T) {
	feed := weather.NewFeed()
	reports := []weather.Report{
		{"Zugspitze", 0, 0}, {"Brocken", -1, 7}, {"Jena", 9, 12}, {"Kahler Asten", -10, 5}, {"Greifswald", 387, 140},
		{strings.Repeat("long", 2000), 1, 1}, {"", 10, 2},
	}
	for range 100 {
		reports = append(reports, randomReport())
	}
	var scratch []byte
	for _, r := range reports {
		var out bytes.Buffer
		var err error
		if scratch, err = feed.Send(&out, r, scratch); err != nil {
			t.Fatal(err)
		}
		if out.String() != text(r) {
			t.Fatalf("wrote %q, want %q", out.String(), text(r))
		}
	}
}

// A wire counts writes, and fails.
type wire struct {
	writes int
	err    error
}

func (w *wire) Write(p []byte) (int, error) {
	w.writes++
	return len(p), w.err
}

func TestOneWrite(t *testing.T) {
	feed := weather.NewFeed()
	w := wire{err: errors.New("cut")}
	if _, err := feed.Send(&w, randomReport(), nil); err != w.err || w.writes != 1 {
		t.Errorf("%d writes, error %v, want one and %v", w.writes, err, w.err)
	}
}

func TestAtOnce(t *testing.T) {
	feed := weather.NewFeed()
	var senders sync.WaitGroup
	for range 8 {
		senders.Go(func() {
			var scratch []byte
			for range 200 {
				r := randomReport()
				var out bytes.Buffer
				var err error
				if scratch, err = feed.Send(&out, r, scratch); err != nil || out.String() != text(r) {
					t.Errorf("wrote %q, %v, want %q", out.String(), err, text(r))
					return
				}
			}
		})
	}
	senders.Wait()
}
