package station_test

import (
	"testing"

	station "onthestack/book/heap-optimization/listings/station"
)

// A counter stands for the file.
type counter struct{ bytes int }

func (c *counter) Write(p []byte) (int, error) {
	c.bytes += len(p)
	return len(p), nil
}

func newStation() *station.Station {
	return &station.Station{
		Sensors: []station.Sensor{{"roof", 215}, {"cellar", 131}, {"garden", 198}, {"street", 223}, {"attic", 274}, {"hall", 207}},
		Out:     &counter{},
	}
}

// ANCHOR: benchmark
func BenchmarkReport(b *testing.B) {
	s := newStation()
	b.ResetTimer()

	for i := 0; i < b.N; i++ {
		if err := s.Report(); err != nil {
			b.Fatal(err)
		}
	}
}

// ANCHOR_END: benchmark

func BenchmarkLines(b *testing.B) {
	s := newStation()
	b.ResetTimer()

	for i := 0; i < b.N; i++ {
		if err := s.Lines(207); err != nil {
			b.Fatal(err)
		}
	}
}

var median int

func BenchmarkMedian(b *testing.B) {
	s := newStation()
	b.ResetTimer()

	for i := 0; i < b.N; i++ {
		median = s.Median()
	}
}
