// Command pool-steps has two callers of a pool: the second gets the line that the first has put back.
package main

import "sync"

type line struct {
	station string
	celsius int
}

var lines = sync.Pool{New: func() any { return new(line) }}

//go:noinline
func send(station string, celsius int) {
	l := lines.Get().(*line)
	l.station, l.celsius = station, celsius
	println(l.station, l.celsius)
	lines.Put(l)
}

func main() {
	send("harbor", 21)
	send("tower", 17)
}
