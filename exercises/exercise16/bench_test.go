package bridge_test

import (
	"io"
	"testing"

	"onthestack/exercises/exercise16"
)

func BenchmarkSend(b *testing.B) {
	talker := bridge.NewTalker()
	values := []int{45, -12, 1013, 7, 88005, -3}
	if err := talker.Send(io.Discard, "WIND", values); err != nil { // what a Talker keeps is there from now on
		b.Fatal(err)
	}

	for b.Loop() {
		if err := talker.Send(io.Discard, "WIND", values); err != nil {
			b.Fatal(err)
		}
	}
}
