// The task: checkalloc task exercise20

// Package shutter writes the log of a telescope's camera.
// A line says when the shutter opened, when it closed, and
// what the telescope pointed at:
//
//	2015-02-19T21:30:05.25Z/2015-02-19T21:31:05.25Z M31
package shutter

import "time"

// A Log writes lines. It is for one goroutine at a time.
type Log struct {
	digits int // of a second's fraction
}

// NewLog returns a log whose times have the given number of
// digits, 0 to 9, after the second.
func NewLog(digits int) *Log {
	return &Log{digits: digits}
}

// AppendLine appends a line to buf and returns the longer
// slice, as append does. The line has both times with a
// slash between them, a space, the target and a newline.
// Any text may be a target.
func (l *Log) AppendLine(buf []byte, opened, closed time.Time, target string) []byte {
	buf = l.appendTime(buf, opened)
	buf = append(buf, '/')
	buf = l.appendTime(buf, closed)
	buf = append(buf, ' ')
	buf = append(buf, target...)
	return append(buf, '\n')
}

// appendTime appends t as RFC 3339 writes it, in the zone of
// t. What comes after the last digit is cut off.
func (l *Log) appendTime(buf []byte, t time.Time) []byte {
	fraction := ""
	if l.digits > 0 {
		fraction = ".000000000"[:1+l.digits]
	}
	layout := "2006-01-02T15:04:05" + fraction + "Z07:00"
	text := t.Format(layout)
	return append(buf, text...)
}
