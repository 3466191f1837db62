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

	var text strings.Builder
	text.Grow(estimate(query, args))
	for _, arg := range args {
		mark := strings.IndexByte(query, '?')
		text.WriteString(query[:mark])
		query = query[mark+1:]
		if err := c.writeLiteral(&text, arg); err != nil {
			return "", err
		}
	}
	text.WriteString(query)
	return text.String(), nil
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

// writeLiteral writes arg the way it is written in a query.
func (c *Conn) writeLiteral(text *strings.Builder, arg driver.Value) error {
	var scratch [32]byte // what strconv and appendTime append to
	switch v := arg.(type) {
	case nil:
		text.WriteString("NULL")
	case int64:
		text.Write(strconv.AppendInt(scratch[:0], v, 10))
	case float64:
		if math.IsNaN(v) || math.IsInf(v, 0) {
			return driver.ErrSkip
		}
		text.Write(strconv.AppendFloat(scratch[:0], v, 'g', -1, 64))
	case bool:
		if v {
			text.WriteByte('1')
		} else {
			text.WriteByte('0')
		}
	case time.Time:
		v = v.In(c.location)
		if y := v.Year(); y < 0 || y > 9999 {
			return driver.ErrSkip
		}
		text.Write(appendTime(scratch[:0], v))
	case []byte:
		if v == nil {
			text.WriteString("NULL")
		} else {
			writeEscapedBytes(text, v)
		}
	case string:
		writeEscapedString(text, v)
	default:
		return driver.ErrSkip
	}
	return nil
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

// writeEscapedBytes writes text in quotes, with a backslash before what would end the
// literal or change its meaning. It is the twin of writeEscapedString: change both.
func writeEscapedBytes(out *strings.Builder, text []byte) {
	out.WriteByte('\'')
	for _, char := range text {
		switch char {
		case 0:
			out.WriteString(`\0`)
		case '\n':
			out.WriteString(`\n`)
		case '\r':
			out.WriteString(`\r`)
		case 0x1a:
			out.WriteString(`\Z`)
		case '\'', '"', '\\':
			out.WriteByte('\\')
			out.WriteByte(char)
		default:
			out.WriteByte(char)
		}
	}
	out.WriteByte('\'')
}

// writeEscapedString is writeEscapedBytes for a string.
func writeEscapedString(out *strings.Builder, text string) {
	out.WriteByte('\'')
	for i := 0; i < len(text); i++ {
		switch char := text[i]; char {
		case 0:
			out.WriteString(`\0`)
		case '\n':
			out.WriteString(`\n`)
		case '\r':
			out.WriteString(`\r`)
		case 0x1a:
			out.WriteString(`\Z`)
		case '\'', '"', '\\':
			out.WriteByte('\\')
			out.WriteByte(char)
		default:
			out.WriteByte(char)
		}
	}
	out.WriteByte('\'')
}

// ANCHOR_END: escape
