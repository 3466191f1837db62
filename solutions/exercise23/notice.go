// The task: checkalloc task exercise23

// Package notice puts the notices of a ferry port together
// as HTML, and sends them to its screens:
//
//	<p>{} leaves at {}</p>
//	<p>Aurora &amp; Bore leaves at Thu 07:45</p>
package notice

import (
	"errors"
	"io"
	"strconv"
	"strings"
	"time"
)

// A Screen shows notices. It is for one goroutine at a
// time, and w must not call it.
type Screen struct {
	w    io.Writer
	zone *time.Location // of the port's clocks
	send []byte         // what Show puts together
}

// New returns a screen that gets its notices through w. Its
// times are those of zone.
func New(w io.Writer, zone *time.Location) *Screen {
	return &Screen{w: w, zone: zone}
}

// Show sends a notice in one Write, with its length in
// front, and returns the error of that Write.
func (s *Screen) Show(notice string) error {
	s.send = strconv.AppendInt(s.send[:0], int64(len(notice)), 10)
	s.send = append(s.send, ' ')
	s.send = append(s.send, notice...)
	_, err := s.w.Write(s.send)
	return err
}

// Fill returns template with a value in place of each {},
// from left to right. A value is nil, an int64, a float64,
// a bool, a time, or a text, which is a []byte or a string.
// For any other value Fill returns an error, and if there
// are more or fewer values than {}.
//
// In a text, the characters &, <, > and " are written as
// HTML's references. All its other bytes, and those of the
// template, stand as they are.
//
// The notice is the caller's, and the Screen keeps nothing
// of values.
func (s *Screen) Fill(template string, values []any) (string, error) {
	// Changed, last of all: the buffer is the one that Show uses. It is idle now, because
	// the Screen is for one goroutine at a time and w does not call it. Up to this step
	// the buffer was made here, with an estimated capacity.
	buf := s.send[:0]
	for _, v := range values {
		// Changed, first of all: each piece is appended where Split made a slice of them,
		// and Join a string.
		piece, rest, found := strings.Cut(template, "{}")
		if !found {
			return "", errValues()
		}
		buf = append(buf, piece...)
		template = rest
		var err error
		if buf, err = s.appendHTML(buf, v); err != nil {
			return "", err
		}
	}
	if strings.Contains(template, "{}") {
		return "", errValues()
	}
	buf = append(buf, template...)
	s.send = buf

	// The one allocation that stays. A string over the buffer's bytes would change with
	// the next notice.
	return string(buf), nil
}

func errValues() error {
	return errors.New("notice: there must be one value for each {}")
}

// appendHTML appends a value as it stands in a notice.
func (s *Screen) appendHTML(buf []byte, v any) ([]byte, error) {
	switch v := v.(type) {
	case nil:
		return append(buf, "&mdash;"...), nil
	case int64:
		return strconv.AppendInt(buf, v, 10), nil
	case float64:
		return strconv.AppendFloat(buf, v, 'f', 1, 64), nil
	case bool:
		if v {
			return append(buf, "yes"...), nil
		}
		return append(buf, "no"...), nil
	case time.Time:
		return s.appendClock(buf, v), nil
	case []byte:
		return appendText(buf, v), nil
	case string:
		// Changed: string(v) copied the bytes of a []byte, because they may change later.
		// A conversion in this direction copies nothing, because appendText only reads, and
		// a string never changes.
		return appendText(buf, []byte(v)), nil
	}
	return buf, errors.New("notice: no such value")
}

// appendClock appends what the port's clocks show at t, or
// a dash for the zero time.
func (s *Screen) appendClock(buf []byte, t time.Time) []byte {
	if t.IsZero() {
		return append(buf, "&mdash;"...)
	}
	return t.In(s.zone).AppendFormat(buf, "Mon 15:04")
}

// appendText appends text as HTML.
//
// Changed: ReplaceAll made a string for each kind of character.
func appendText(buf, text []byte) []byte {
	// The starter's loop ranged over []byte(text), which looks like a copy of the text.
	// Since Go 1.7 it is none.
	for _, char := range text {
		switch char {
		case '&':
			buf = append(buf, "&amp;"...)
		case '<':
			buf = append(buf, "&lt;"...)
		case '>':
			buf = append(buf, "&gt;"...)
		case '"':
			buf = append(buf, "&quot;"...)
		default:
			buf = append(buf, char)
		}
	}
	return buf
}
