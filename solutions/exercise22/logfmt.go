// The task: checkalloc task exercise22

// Package logfmt writes the records of a log as lines of
// names and values, and sends them to a collector:
//
//	2015-02-19T08:30:05Z login user="Ada L." try=2
package logfmt

import (
	"encoding"
	"errors"
	"io"
	"strconv"
	"time"
)

// A Field is one value of a record and its name.
type Field struct {
	Name  string
	Value any // see Line
}

// A Conn is a connection to a log collector. It is for
// one goroutine at a time.
type Conn struct {
	w      io.Writer
	digits int    // of a second's fraction
	send   []byte // what Send puts together
}

// NewConn returns a connection that writes to w. Its
// times have the given number of digits, 0 to 9, after
// the second.
func NewConn(w io.Writer, digits int) *Conn {
	return &Conn{w: w, digits: digits}
}

// Send sends a line, with its length in front. While it
// writes to w, w may call Line of this Conn.
func (c *Conn) Send(line string) error {
	n := int64(len(line))
	// Changed: Line borrows this buffer, and Write may call Line. So Send takes the
	// buffer out of the Conn as well while it is in use.
	buf := strconv.AppendInt(c.send[:0], n, 10)
	c.send = nil
	buf = append(buf, ' ')
	buf = append(buf, line...)
	_, err := c.w.Write(buf)
	c.giveBack(buf)
	return err
}

// giveBack keeps a buffer for later, unless a larger one
// has come back meanwhile.
func (c *Conn) giveBack(buf []byte) {
	if cap(buf) > cap(c.send) {
		c.send = buf
	}
}

// Line returns a record as a line: time, event, fields,
// with a space between them. A value is nil, an int64, a
// float64, a bool, a time, a text, which is a []byte or a
// string, or something that appends a text of its own. Of
// any other value Line returns an error.
//
// A text is quoted if it must be. What an AppendText
// method appends stands as it is; if it fails, its error
// is returned. It may call Line and Send of this Conn. If
// it panics, or w does, the Conn is as good as before.
//
// The line is the caller's, and Line keeps nothing of
// fields.
func (c *Conn) Line(at time.Time, event string, fields []Field) (string, error) {
	// Changed: the buffer is the one that Send uses, which lies idle between two
	// calls of Send. Line takes it out of the Conn for as long as it works: if a
	// value calls Line or Send meanwhile, that call finds none and grows its own,
	// instead of writing over what is here. If a value panics, the buffer is lost, and
	// the next line makes another one.
	buf := c.send[:0]
	c.send = nil
	line, err := c.appendLine(buf, at, event, fields)
	c.giveBack(line)
	if err != nil {
		return "", err
	}

	// This copy stays. A string that shared the buffer's bytes would change with
	// the next line.
	return string(line), nil
	// The cost: the Conn keeps a buffer as long as its longest line, and two
	// goroutines can no longer call Line at once. The comment of Conn never allowed
	// that, and from now on it matters.
}

// appendLine appends the record. Also when it fails, it
// returns the buffer, which may have grown.
//
// Changed: it was the larger part of Line. Now the buffer comes back in one place.
// The estimate is gone: the buffer has grown to the right size after a few lines.
func (c *Conn) appendLine(buf []byte, at time.Time, event string, fields []Field) ([]byte, error) {
	buf = c.appendStamp(buf, at)
	buf = append(buf, ' ')
	buf = appendText(buf, event)
	for _, f := range fields {
		buf = append(buf, ' ')
		buf = append(buf, f.Name...)
		buf = append(buf, '=')
		var err error
		if buf, err = c.appendValue(buf, f.Value); err != nil {
			return buf, err
		}
	}
	return buf, nil
}

// appendValue appends the text of a field's value.
func (c *Conn) appendValue(buf []byte, v any) ([]byte, error) {
	switch v := v.(type) {
	case nil:
		return append(buf, "null"...), nil
	case int64:
		return strconv.AppendInt(buf, v, 10), nil
	case float64:
		return strconv.AppendFloat(buf, v, 'g', -1, 64), nil
	case bool:
		return strconv.AppendBool(buf, v), nil
	case time.Time:
		return c.appendStamp(buf, v), nil
	case []byte:
		return appendText(buf, v), nil
	case string:
		return appendText(buf, v), nil
	case encoding.TextAppender:
		return v.AppendText(buf)
	}
	return buf, errors.New("logfmt: no such value")
}

// appendStamp appends t as RFC 3339 writes it. What comes
// after the last digit is cut off.
func (c *Conn) appendStamp(buf []byte, t time.Time) []byte {
	// A layout with fewer digits is a part of this.
	const layout = "2006-01-02T15:04:05.000000000"
	n := len("2006-01-02T15:04:05")
	if c.digits > 0 {
		n += len(".") + c.digits
	}
	buf = t.AppendFormat(buf, layout[:n])
	return t.AppendFormat(buf, "Z07:00")
}

// appendText appends text, in quotes if it is empty or
// has a byte that is special. In quotes, a backslash
// stands before quotes and backslashes, and control bytes
// become \x and two digits. All else stands as it is.
func appendText[T []byte | string](buf []byte, text T) []byte {
	if bare(text) {
		return append(buf, text...)
	}
	const hex = "0123456789abcdef"
	buf = append(buf, '"')
	for i := 0; i < len(text); i++ {
		switch char := text[i]; {
		case char < ' ' || char == 0x7f:
			buf = append(buf, '\\', 'x', hex[char>>4], hex[char&15])
		case char == '"' || char == '\\':
			buf = append(buf, '\\', char)
		default:
			buf = append(buf, char)
		}
	}
	return append(buf, '"')
}

// bare reports whether text needs no quotes.
func bare[T []byte | string](text T) bool {
	for i := 0; i < len(text); i++ {
		switch char := text[i]; {
		case char <= ' ' || char == 0x7f:
			return false
		case char == '"' || char == '\\' || char == '=':
			return false
		}
	}
	return len(text) > 0
}
