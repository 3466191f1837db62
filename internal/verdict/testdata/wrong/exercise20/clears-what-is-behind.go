// Appends nine digits and cuts them off again, so bytes of buf's array behind the line are overwritten; append does
// not do that.
package shutter

import "time"

type Log struct{ digits int }

func NewLog(digits int) *Log { return &Log{digits: digits} }

func (l *Log) AppendLine(buf []byte, opened, closed time.Time, target string) []byte {
	buf = l.appendTime(buf, opened)
	buf = append(buf, '/')
	buf = l.appendTime(buf, closed)
	buf = append(buf, ' ')
	buf = append(buf, target...)
	buf = append(buf, '\n')
	n := len(buf)
	for len(buf) < cap(buf) && len(buf) < n+16 { // clears what is behind
		buf = append(buf, 0)
	}
	return buf[:n]
}

func (l *Log) appendTime(buf []byte, t time.Time) []byte {
	const layout = "2006-01-02T15:04:05.000000000"
	buf = t.AppendFormat(buf, layout)
	cut := 9 - l.digits
	if l.digits == 0 {
		cut = 10
	}
	buf = buf[:len(buf)-cut]
	return t.AppendFormat(buf, "Z07:00")
}
