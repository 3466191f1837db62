// Command torn shows what becomes of scratch that two goroutines share.
package main

import (
	"fmt"
	"io"
)

// ANCHOR: torn
type Feed struct {
	line []byte // scratch
}

func (f *Feed) Send(w io.Writer, station, weather string) {
	f.line = append(f.line[:0], station...)
	f.line = append(f.line, ": "...)
	f.line = append(f.line, weather...)
	w.Write(f.line)
}

// A slow connection takes the first half of a line, then something else
// happens, then it takes the second half.
type slow struct {
	meanwhile func()
	taken     []byte
}

func (s *slow) Write(p []byte) (int, error) {
	half := len(p) / 2
	s.taken = append(s.taken, p[:half]...)
	s.meanwhile()
	s.taken = append(s.taken, p[half:]...)
	return len(p), nil
}

func main() {
	feed := &Feed{}
	another := func() {
		done := make(chan bool)
		go func() {
			feed.Send(io.Discard, "Fichtelberg", "storm, stay at home")
			done <- true
		}()
		<-done
	}

	connection := &slow{meanwhile: another}
	feed.Send(connection, "Warnemünde", "sunny, 24 degrees")
	fmt.Printf("%s\n", connection.taken)
}

// ANCHOR_END: torn
