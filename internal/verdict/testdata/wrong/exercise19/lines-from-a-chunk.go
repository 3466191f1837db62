// Lines are cut from chunks of 64 KiB, which each line that is kept keeps whole.
// wasm: true

package logfmt

import (
	"encoding"
	"errors"
	"io"
	"strconv"
	"strings"
	"time"
)

type Field struct {
	Name  string
	Value any // see Line
}

type Conn struct {
	w      io.Writer
	digits int    // of a second's fraction
	send   []byte // what Send puts together
	chunk  *strings.Builder
}

func NewConn(w io.Writer, digits int) *Conn {
	return &Conn{w: w, digits: digits}
}

func (c *Conn) Send(line string) error {
	n := int64(len(line))
	c.send = strconv.AppendInt(c.send[:0], n, 10)
	c.send = append(c.send, ' ')
	c.send = append(c.send, line...)
	_, err := c.w.Write(c.send)
	return err
}

func (c *Conn) Line(at time.Time, event string, fields []Field) (string, error) {
	buf := make([]byte, 0, estimate(event, fields))
	buf = c.appendStamp(buf, at)
	buf = append(buf, ' ')
	buf = appendText(buf, event)
	for _, f := range fields {
		buf = append(buf, ' ')
		buf = append(buf, f.Name...)
		buf = append(buf, '=')
		var err error
		if buf, err = c.appendValue(buf, f.Value); err != nil {
			return "", err
		}
	}
	if c.chunk == nil || c.chunk.Cap()-c.chunk.Len() < len(buf) {
		c.chunk = new(strings.Builder)
		c.chunk.Grow(64<<10 + len(buf))
	}
	start := c.chunk.Len()
	c.chunk.Write(buf)
	return c.chunk.String()[start:], nil
}

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
		return v.AppendText(buf)
	}
	return buf, errors.New("logfmt: no such value")
}

func (c *Conn) appendStamp(buf []byte, t time.Time) []byte {
	fraction := ""
	if c.digits > 0 {
		fraction = ".000000000"[:1+c.digits]
	}
	layout := "2006-01-02T15:04:05" + fraction + "Z07:00"
	text := t.Format(layout) // a string, which this exercise allows
	return append(buf, text...)
}

func appendText(buf []byte, text string) []byte {
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
