// Remembers the zone's text by *time.Location, so a time in the other half of the year (DST) gets the zone of the one
// before.
package shutter

import "time"

type Log struct {
	digits int
	loc    *time.Location // of the latest time
	zone   []byte         // its text
}

func NewLog(digits int) *Log { return &Log{digits: digits, zone: make([]byte, 0, 8)} }

func (l *Log) AppendLine(buf []byte, opened, closed time.Time, target string) []byte {
	buf = l.appendTime(buf, opened)
	buf = append(buf, '/')
	buf = l.appendTime(buf, closed)
	buf = append(buf, ' ')
	buf = append(buf, target...)
	return append(buf, '\n')
}

func (l *Log) appendTime(buf []byte, t time.Time) []byte {
	const layout = "2006-01-02T15:04:05.000000000"
	n := len("2006-01-02T15:04:05")
	if l.digits > 0 {
		n += 1 + l.digits
	}
	buf = t.AppendFormat(buf, layout[:n])
	if loc := t.Location(); loc != l.loc {
		l.loc = loc
		l.zone = t.AppendFormat(l.zone[:0], "Z07:00")
	}
	return append(buf, l.zone...)
}
