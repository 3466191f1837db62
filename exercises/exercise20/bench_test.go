package shutter_test

import (
	"testing"
	"time"

	"onthestack/exercises/exercise20"
)

// BenchmarkAppendLine writes times with nine digits. Such a time is longer than the 32 bytes that a
// temporary string may have on the stack.
func BenchmarkAppendLine(b *testing.B) {
	opened := night.In(time.FixedZone("", 2*3600))
	closed := opened.Add(90 * time.Second)
	log := shutter.NewLog(9)
	buf := make([]byte, 0, 128)

	for b.Loop() {
		buf = log.AppendLine(buf[:0], opened, closed, "NGC 7024")
	}
}
