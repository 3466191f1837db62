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
	// Changed: Format made a string, which was copied into buf and dropped. AppendFormat
	// writes the same text into buf. Where a type has no method that appends, its digits
	// can be appended one by one: byte('0'+n/10), byte('0'+n%10).
	//
	// Changed: the layout was put together from three strings for every time. But the
	// layouts differ only in how many zeros they have. A slice of a string shares its
	// bytes, so the layout with the most zeros contains all others. The zone follows in
	// a second call.
	const layout = "2006-01-02T15:04:05.000000000"
	n := len("2006-01-02T15:04:05")
	if l.digits > 0 {
		n += len(".") + l.digits
	}
	buf = t.AppendFormat(buf, layout[:n])
	return t.AppendFormat(buf, "Z07:00")
	// The cost: two calls take the time apart twice. If that ever shows in a CPU
	// profile, let NewLog put the whole layout together and keep it in the Log.
}
