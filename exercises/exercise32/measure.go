// The task: checkalloc task exercise32

// Package cachekey has a benchmark for functions that make
// the keys of a cache.
package cachekey

// A Key appends the key of a request to buf and returns the
// result, as append does.
type Key func(buf []byte, r Request) []byte

// A Loop is a *testing.B, whose loop is over when Loop
// returns false.
type Loop interface {
	Loop() bool
}

// Measure is a benchmark of key: an operation is a call with
// an empty buffer, and with the request of a line of the
// access log. The lines, of which there is at least one, take
// turns. Measure returns the last key.
//
// Measure may also call key before it calls Loop for the
// first time, but not after the loop. As in the service, a
// key is valid until the next call, which may have the same
// buffer.
func Measure(b Loop, lines []string, key Key) []byte {
	var last []byte
	i := 0
	for b.Loop() {
		request := Parse(lines[i%len(lines)])
		last = key(nil, request)
		i++
	}
	return last
}
