package scan_test

import (
	"bytes"
	"strings"
	"testing"

	"onthestack/exercises/exercise40"
)

func BenchmarkReplace(b *testing.B) {
	find, repl := []byte(strings.Repeat(station, 5)), []byte("Llanfair PG")
	data := []byte("08:15 to " + string(find) + "\n08:40 to Llanfairfechan\n09:05 to Bangor\n")

	var output bytes.Buffer
	scan.Replace(data, find, repl, &output) // output grows to its final size

	for b.Loop() {
		output.Reset()
		scan.Replace(data, find, repl, &output)
	}
}
