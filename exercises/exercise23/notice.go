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
	pieces := strings.Split(template, "{}")
	if len(pieces) != len(values)+1 {
		return "", errors.New("notice: there must be one value for each {}")
	}
	var parts []string
	for i, v := range values {
		text, err := s.html(v)
		if err != nil {
			return "", err
		}
		parts = append(parts, pieces[i], text)
	}
	parts = append(parts, pieces[len(values)])
	return strings.Join(parts, ""), nil
}

// html returns a value as it stands in a notice.
func (s *Screen) html(v any) (string, error) {
	switch v := v.(type) {
	case nil:
		return "&mdash;", nil
	case int64:
		return strconv.FormatInt(v, 10), nil
	case float64:
		return strconv.FormatFloat(v, 'f', 1, 64), nil
	case bool:
		if v {
			return "yes", nil
		}
		return "no", nil
	case time.Time:
		return s.clock(v), nil
	case []byte:
		return escape(string(v)), nil
	case string:
		return escape(v), nil
	}
	return "", errors.New("notice: no such value")
}

// clock returns what the port's clocks show at t, or a dash
// for the zero time.
func (s *Screen) clock(t time.Time) string {
	if t.IsZero() {
		return "&mdash;"
	}
	return t.In(s.zone).Format("Mon 15:04")
}

// escape returns text as HTML.
func escape(text string) string {
	if plain(text) {
		return text
	}
	text = strings.ReplaceAll(text, "&", "&amp;") // first, since the others add more
	text = strings.ReplaceAll(text, "<", "&lt;")
	text = strings.ReplaceAll(text, ">", "&gt;")
	return strings.ReplaceAll(text, `"`, "&quot;")
}

// plain reports whether text means the same in HTML.
func plain(text string) bool {
	for _, char := range []byte(text) {
		switch char {
		case '&', '<', '>', '"':
			return false
		}
	}
	return true
}
