// Package interpolate puts the arguments of a query into its text.
package interpolate

import (
	"database/sql/driver"
	"math"
	"strconv"
	"strings"
	"time"
)

// A Conn is a connection to a database server.
type Conn struct {
	location *time.Location // of the server's clock
}

// NewConn returns a connection to a server whose clock shows the time of location.
func NewConn(location *time.Location) *Conn {
	return &Conn{location: location}
}

// ANCHOR: interpolate

// Interpolate returns query with a literal in the place of every question mark.
// Where it cannot do that safely it returns driver.ErrSkip: let the server do it.
func (c *Conn) Interpolate(query string, args []driver.Value) (string, error) {
	if strings.Count(query, "?") != len(args) {
		return "", driver.ErrSkip
	}

	buf := make([]byte, 0, estimate(query, args))
	next := 0
	for _, char := range []byte(query) {
		if char != '?' {
			buf = append(buf, char)
			continue
		}
		var err error
		if buf, err = c.appendLiteral(buf, args[next]); err != nil {
			return "", err
		}
		next++
	}
	return string(buf), nil
}

// ANCHOR_END: interpolate

// ANCHOR: estimate

// estimate returns how long the text is going to be. It need not be right: append
// grows what is too small.
func estimate(query string, args []driver.Value) int {
	const number = len("-9223372036854775808")
	size := len(query)
	for _, arg := range args {
		switch v := arg.(type) {
		case []byte:
			size += 2*len(v) + len("''")
		case string:
			size += 2*len(v) + len("''")
		case time.Time:
			size += len("'2006-01-02 15:04:05.000000'")
		default:
			size += number
		}
	}
	return size
}

// ANCHOR_END: estimate

// ANCHOR: literal

// appendLiteral appends arg the way it is written in a query.
func (c *Conn) appendLiteral(buf []byte, arg driver.Value) ([]byte, error) {
	switch v := arg.(type) {
	case nil:
		return append(buf, []byte("NULL")...), nil
	case int64:
		return strconv.AppendInt(buf, v, 10), nil
	case float64:
		if math.IsNaN(v) || math.IsInf(v, 0) {
			return buf, driver.ErrSkip
		}
		return strconv.AppendFloat(buf, v, 'g', -1, 64), nil
	case bool:
		if v {
			return append(buf, '1'), nil
		}
		return append(buf, '0'), nil
	case time.Time:
		v = v.In(c.location)
		if y := v.Year(); y < 0 || y > 9999 {
			return buf, driver.ErrSkip
		}
		return appendTime(buf, v), nil
	case []byte:
		if v == nil {
			return append(buf, []byte("NULL")...), nil
		}
		return appendEscaped(buf, v), nil
	case string:
		return appendEscaped(buf, []byte(v)), nil
	}
	return buf, driver.ErrSkip
}

// ANCHOR_END: literal

// ANCHOR: time

// appendTime appends t in quotes. Its year must have at most four digits. The server
// keeps microseconds.
func appendTime(buf []byte, t time.Time) []byte {
	year, month, day := t.Date()
	hour, minute, second := t.Clock()
	buf = append(buf, '\'')
	buf = appendTwoDigits(buf, year/100)
	buf = appendTwoDigits(buf, year%100)
	buf = append(buf, '-')
	buf = appendTwoDigits(buf, int(month))
	buf = append(buf, '-')
	buf = appendTwoDigits(buf, day)
	buf = append(buf, ' ')
	buf = appendTwoDigits(buf, hour)
	buf = append(buf, ':')
	buf = appendTwoDigits(buf, minute)
	buf = append(buf, ':')
	buf = appendTwoDigits(buf, second)
	if micro := t.Nanosecond() / 1000; micro != 0 {
		buf = append(buf, '.')
		buf = appendTwoDigits(buf, micro/10000)
		buf = appendTwoDigits(buf, micro/100%100)
		buf = appendTwoDigits(buf, micro%100)
	}
	return append(buf, '\'')
}

// appendTwoDigits appends n, which is from 0 to 99.
func appendTwoDigits(buf []byte, n int) []byte {
	return append(buf, byte('0'+n/10), byte('0'+n%10))
}

// ANCHOR_END: time

// ANCHOR: escape

// appendEscaped appends text in quotes, with a backslash before what would end the
// literal or change its meaning.
func appendEscaped(buf, text []byte) []byte {
	buf = append(buf, '\'')
	for _, char := range text {
		switch char {
		case 0:
			buf = append(buf, '\\', '0')
		case '\n':
			buf = append(buf, '\\', 'n')
		case '\r':
			buf = append(buf, '\\', 'r')
		case 0x1a:
			buf = append(buf, '\\', 'Z')
		case '\'', '"', '\\':
			buf = append(buf, '\\', char)
		default:
			buf = append(buf, char)
		}
	}
	return append(buf, '\'')
}

// ANCHOR_END: escape
