package interpolate

import (
	"bytes"
	"database/sql/driver"
	"testing"
	"time"
)

// Interpolate is what the tests of the other versions call.
func (c *Conn) Interpolate(query string, args []driver.Value) (string, error) {
	buf, err := c.AppendInterpolated(nil, query, args)
	return string(buf), err
}

// The bytes already in buf stay as they are, even when the query cannot be interpolated.
func TestBehindWhatIsThere(t *testing.T) {
	conn := NewConn(time.UTC)
	packet := append(make([]byte, 0, 100), 0x03)
	packet, err := conn.AppendInterpolated(packet, "CALL f(?)", []driver.Value{"x"})
	if want := []byte("\x03CALL f('x')"); !bytes.Equal(packet, want) || err != nil {
		t.Errorf("got %q, error %v, want %q", packet, err, want)
	}
	before := string(packet)
	packet, err = conn.AppendInterpolated(packet, "CALL g(?, ?)", []driver.Value{"x", struct{}{}})
	if string(packet) != before || err != driver.ErrSkip {
		t.Errorf("got %q, error %v, want %q and driver.ErrSkip", packet, err, before)
	}
}
