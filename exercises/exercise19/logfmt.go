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
	"strings"
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
	parts := []string{c.stamp(at), quote(event)}
	for _, f := range fields {
		text, err := c.value(f.Value)
		if err != nil {
			return "", err
		}
		parts = append(parts, f.Name+"="+text)
	}
	return strings.Join(parts, " "), nil
}

// value returns the text of a field's value.
func (c *Conn) value(v any) (string, error) {
	switch v := v.(type) {
	case nil:
		return "null", nil
	case int64:
		return strconv.FormatInt(v, 10), nil
	case float64:
		return strconv.FormatFloat(v, 'g', -1, 64), nil
	case bool:
		return strconv.FormatBool(v), nil
	case time.Time:
		return c.stamp(v), nil
	case []byte:
		return quote(string(v)), nil
	case string:
		return quote(v), nil
	case encoding.TextAppender:
		text, err := v.AppendText(nil)
		return string(text), err
	}
	return "", errors.New("logfmt: no such value")
}

// stamp returns t as RFC 3339 writes it. What comes after
// the last digit is cut off.
func (c *Conn) stamp(t time.Time) string {
	fraction := ""
	if c.digits > 0 {
		fraction = ".000000000"[:1+c.digits]
	}
	layout := "2006-01-02T15:04:05" + fraction + "Z07:00"
	return t.Format(layout)
}

// quote returns text, in quotes if it is empty or has a
// byte that is special. In quotes, a backslash stands
// before quotes and backslashes, and a control byte
// becomes \x and two digits. All else stands as it is.
func quote(text string) string {
	if bare(text) {
		return text
	}
	const hex = "0123456789abcdef"
	out := make([]byte, 0, 4*len(text))
	for i := 0; i < len(text); i++ {
		switch char := text[i]; {
		case char < ' ' || char == 0x7f:
			out = append(out, '\\', 'x', hex[char>>4], hex[char&15])
		case char == '"' || char == '\\':
			out = append(out, '\\', char)
		default:
			out = append(out, char)
		}
	}
	return `"` + string(out) + `"`
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
