// Command scratch-overlap lets two goroutines send over one link at the same time.
package main

import (
	"fmt"
	"io"
)

// A Link sends lines. It is not for use by several goroutines at once.
type Link struct {
	line    io.Writer
	scratch [64]byte
}

// Send sends a message and a newline.
func (l *Link) Send(message string) {
	frame := append(l.scratch[:0], message...)
	l.line.Write(append(frame, '\n'))
}

// ANCHOR: main

// A slow line holds up its first message until the second has gone through.
type slow struct {
	busy          bool
	begun, second chan bool
}

func (s *slow) Write(p []byte) (int, error) {
	if !s.busy {
		s.busy = true
		s.begun <- true
		<-s.second
		fmt.Printf("first:  %q\n", p)
		return len(p), nil
	}
	fmt.Printf("second: %q\n", p)
	s.second <- true
	return len(p), nil
}

func main() {
	line := &slow{begun: make(chan bool), second: make(chan bool)}
	link := &Link{line: line}

	done := make(chan bool)
	go func() {
		link.Send("roof 21.5")
		done <- true
	}()
	<-line.begun // the first message is on its way
	link.Send("open the door")
	<-done
}

// ANCHOR_END: main
