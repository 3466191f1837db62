// Allocates whenever a millisecond has passed since the last line, which a benchmark's loop never lets happen.
// want: policy
// quick: true
package shutter

import "time"

type Log struct {
	digits int
	last   time.Time
}

func NewLog(digits int) *Log { return &Log{digits: digits, last: time.Now()} }

func (l *Log) AppendLine(buf []byte, opened, closed time.Time, target string) []byte {
	now := time.Now()
	slow := now.Sub(l.last) > 300*time.Millisecond
	l.last = now
	buf = l.appendTime(buf, opened, slow)
	buf = append(buf, '/')
	buf = l.appendTime(buf, closed, slow)
	buf = append(buf, ' ')
	buf = append(buf, target...)
	return append(buf, '\n')
}

func (l *Log) appendTime(buf []byte, t time.Time, slow bool) []byte {
	const layout = "2006-01-02T15:04:05.000000000"
	n := len("2006-01-02T15:04:05")
	if l.digits > 0 {
		n += 1 + l.digits
	}
	if slow {
		return append(buf, t.Format(layout[:n]+"Z07:00")...)
	}
	buf = t.AppendFormat(buf, layout[:n])
	return t.AppendFormat(buf, "Z07:00")
}
