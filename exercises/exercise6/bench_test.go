package stream_test

import (
	"bytes"
	"testing"

	"onthestack/exercises/exercise6"
)

func BenchmarkReplace(b *testing.B) {
	data := []byte("08:15 to " + station + "\n08:40 to Llanfairfechan\n09:05 to Bangor\n")
	find, repl := []byte(station), []byte("Llanfair PG")

	var output bytes.Buffer
	stream.Replace(data, find, repl, &output) // output grows to its final size

	for b.Loop() {
		output.Reset()
		stream.Replace(data, find, repl, &output)
	}
}
