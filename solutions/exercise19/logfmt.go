// The task: checkalloc task exercise19

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
	c.send = strconv.AppendInt(c.send[:0], n, 10)
	c.send = append(c.send, ' ')
	c.send = append(c.send, line...)
	_, err := c.w.Write(c.send)
	return err
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
	// Changed: the parts were strings, made one by one, kept in a slice and copied
	// once more by Join. Now each part is appended to the one buffer.
	buf := make([]byte, 0, estimate(event, fields))
	buf = c.appendStamp(buf, at)
	buf = append(buf, ' ')
	buf = appendText(buf, event)
	for _, f := range fields {
		// Changed: " " + name + "=" + value was a string of its own.
		buf = append(buf, ' ')
		buf = append(buf, f.Name...)
		buf = append(buf, '=')
		var err error
		if buf, err = c.appendValue(buf, f.Value); err != nil {
			return "", err
		}
	}
	return string(buf), nil
}

// estimate returns about how long the line is going to be.
//
// Changed: a buffer that begins empty would grow by doubling, and be copied each
// time. The estimate need not be right: too small costs one growth, too large costs
// some bytes for a short while.
func estimate(event string, fields []Field) int {
	const other = 32 // times, numbers: few are longer
	size := other + len(event)
	for _, f := range fields {
		size += len(" =") + len(f.Name)
		switch v := f.Value.(type) {
		case []byte:
			size += len(`""`) + len(v) + len(v)/4
		case string:
			size += len(`""`) + len(v) + len(v)/4
		default:
			size += other
		}
	}
	return size
}

// appendValue appends the text of a field's value.
//
// Changed: what returned a string appends to buf and returns the longer slice.
// strconv has such a twin for every Format function.
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
		return appendText(buf, string(v)), nil // a copy, which this exercise allows
	case string:
		return appendText(buf, v), nil
	case encoding.TextAppender:
		// Changed: this interface exists to append. But the call goes through an
		// interface, so the compiler must assume that the buffer is kept:
		// "leaking param: buf". That is why even a buffer of constant size would
		// be on the heap, and costs one allocation per line: exercise22.
		return v.AppendText(buf)
	}
	return buf, errors.New("logfmt: no such value")
}

// appendStamp appends t as RFC 3339 writes it. What comes
// after the last digit is cut off.
func (c *Conn) appendStamp(buf []byte, t time.Time) []byte {
	fraction := ""
	if c.digits > 0 {
		fraction = ".000000000"[:1+c.digits]
	}
	layout := "2006-01-02T15:04:05" + fraction + "Z07:00"
	text := t.Format(layout) // a string, which this exercise allows
	return append(buf, text...)
}

// appendText appends text, in quotes if it is empty or
// has a byte that is special. In quotes, a backslash
// stands before quotes and backslashes, and control bytes
// become \x and two digits. All else stands as it is.
func appendText(buf []byte, text string) []byte {
	if bare(text) {
		// Append takes a string as it is: []byte(text) is not needed.
		return append(buf, text...)
	}
	const hex = "0123456789abcdef"
	// Changed: the escaped bytes were collected in a slice, made a string, and the
	// string was copied between two quotes.
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
	// The cost: no part can be read or kept before it is in the line, and
	// every function takes the buffer and must not forget to return it.
}

// bare reports whether text needs no quotes.
func bare(text string) bool {
	for i := 0; i < len(text); i++ {
		switch char := text[i]; {
		case char <= ' ' || char == 0x7f:
			return false
		case char == '"' || char == '\\' || char == '=':
			return false
		}
	}
	return text != ""
}
