// Command demo puts the arguments of a query into its text.
package main

import (
	"database/sql/driver"
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"
)

// ANCHOR: main
func main() {
	conn := NewConn(time.UTC)
	for _, note := range []string{
		"all is well",
		"it's cold, -7°",
		"', 0); DROP TABLE notes; --",
	} {
		query, err := conn.Interpolate("CALL report(?, ?)", []driver.Value{note, int64(7)})
		fmt.Println(query, err)
	}

	_, err := conn.Interpolate("CALL report(?, ?)", []driver.Value{"one is missing"})
	fmt.Println("driver.ErrSkip:", err == driver.ErrSkip)
}

// ANCHOR_END: main

// A Conn is a connection to a database server.
type Conn struct {
	location *time.Location // of the server's clock
}

// NewConn returns a connection to a server whose clock shows the time of location.
func NewConn(location *time.Location) *Conn {
	return &Conn{location: location}
}

// Interpolate returns query with a literal in the place of every question mark.
// Where it cannot do that safely it returns driver.ErrSkip: let the server do it.
func (c *Conn) Interpolate(query string, args []driver.Value) (string, error) {
	chunks := strings.Split(query, "?")
	if len(chunks) != len(args)+1 {
		return "", driver.ErrSkip
	}

	parts := make([]string, 0, 2*len(args)+1)
	for i, arg := range args {
		text, err := c.literal(arg)
		if err != nil {
			return "", err
		}
		parts = append(parts, chunks[i], text)
	}
	parts = append(parts, chunks[len(args)])
	return strings.Join(parts, ""), nil
}

// The layouts of a point in time. The server keeps microseconds.
const (
	layoutSeconds = "'2006-01-02 15:04:05'"
	layoutMicros  = "'2006-01-02 15:04:05.000000'"
)

// literal returns arg the way it is written in a query.
func (c *Conn) literal(arg driver.Value) (string, error) {
	switch v := arg.(type) {
	case nil:
		return "NULL", nil
	case int64:
		return strconv.FormatInt(v, 10), nil
	case float64:
		if math.IsNaN(v) || math.IsInf(v, 0) {
			return "", driver.ErrSkip
		}
		return strconv.FormatFloat(v, 'g', -1, 64), nil
	case bool:
		if v {
			return "1", nil
		}
		return "0", nil
	case time.Time:
		v = v.In(c.location)
		if y := v.Year(); y < 0 || y > 9999 {
			return "", driver.ErrSkip
		}
		if v.Nanosecond() < 1000 {
			return v.Format(layoutSeconds), nil
		}
		return v.Format(layoutMicros), nil
	case []byte:
		if v == nil {
			return "NULL", nil
		}
		return "'" + escape(v) + "'", nil
	case string:
		return "'" + escape([]byte(v)) + "'", nil
	}
	return "", driver.ErrSkip
}

// escape puts a backslash before what would end a literal or change its meaning.
func escape(text []byte) string {
	out := make([]byte, 0, 2*len(text))
	for _, char := range text {
		switch char {
		case 0:
			out = append(out, '\\', '0')
		case '\n':
			out = append(out, '\\', 'n')
		case '\r':
			out = append(out, '\\', 'r')
		case 0x1a:
			out = append(out, '\\', 'Z')
		case '\'', '"', '\\':
			out = append(out, '\\', char)
		default:
			out = append(out, char)
		}
	}
	return string(out)
}
