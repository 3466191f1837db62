package climate_test

import (
	"testing"

	"onthestack/exercises/exercise15"
)

func BenchmarkRead(b *testing.B) {
	board := climate.NewBoard(new(benchBus), 0x40)
	readings := make([]climate.Reading, 6)
	for i := range readings {
		readings[i].Register = uint8(i)
	}

	for b.Loop() {
		if err := board.Read(readings); err != nil {
			b.Fatal(err)
		}
	}
}
