package interpolate

import (
	"database/sql/driver"
	"testing"
	"time"
)

// ANCHOR: benchmark
func BenchmarkInterpolate(b *testing.B) {
	conn := NewConn(time.UTC)
	query := "CALL report(?, ?, ?, ?, ?, ?)"
	args := []driver.Value{
		int64(20150219),
		float64(21.700000000000003),
		false,
		time.Date(2015, 2, 19, 8, 30, 5, 250117000, time.UTC),
		[]byte("frame \x00\x1a of the mast's sensor no. 7"),
		"\"north\" mast, it's covered with ice",
	}

	b.ReportAllocs()
	b.ResetTimer()
	for i := 0; i < b.N; i++ {
		if _, err := conn.Interpolate(query, args); err != nil {
			b.Fatal(err)
		}
	}
}

// ANCHOR_END: benchmark
