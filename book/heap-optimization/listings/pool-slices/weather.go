// Package weather sends reports to whoever subscribed to them.
package weather

import (
	"io"
	"strconv"
	"sync"
)

// A Report is what a station measured.
type Report struct {
	Station string
	Tenths  int // of a degree Celsius
	Wind    int // in km/h
}

// ANCHOR: send

// A Feed writes reports as lines of text. Goroutines may share one.
type Feed struct {
	lines sync.Pool // of []byte
}

// NewFeed returns a feed.
func NewFeed() *Feed {
	f := &Feed{}
	f.lines.New = func() interface{} { return make([]byte, 0, 128) }
	return f
}

// Send writes r to w, in one Write.
func (f *Feed) Send(w io.Writer, r Report) error {
	line := f.lines.Get().([]byte)
	line = appendReport(line[:0], r)
	_, err := w.Write(line)
	// ANCHOR: put
	f.lines.Put(line)
	// ANCHOR_END: put
	return err
}

// ANCHOR_END: send

// ANCHOR: append

// appendReport appends a line such as "Fichtelberg -3.5 C, 61 km/h".
func appendReport(line []byte, r Report) []byte {
	line = append(line, r.Station...)
	line = append(line, ' ')
	tenths := r.Tenths
	if tenths < 0 {
		line = append(line, '-')
		tenths = -tenths
	}
	line = strconv.AppendInt(line, int64(tenths/10), 10)
	line = append(line, '.', byte('0'+tenths%10))
	line = append(line, " C, "...)
	line = strconv.AppendInt(line, int64(r.Wind), 10)
	return append(line, " km/h\n"...)
}

// ANCHOR_END: append
