// Command hot-call calls a function that returns a pointer, from a loop that a profile has seen and from one that it
// has not.
package main

import (
	"errors"
	"fmt"
	"strings"
	"testing"
)

// ANCHOR: parse
type reading struct {
	station string
	tenths  int
}

var errNoReading = errors.New("no reading")

// parse reads a station and tenths of a degree, like "Oslo 35".
func parse(line string) (*reading, error) {
	blank := strings.IndexByte(line, ' ')
	if blank < 0 {
		return nil, errNoReading
	}
	tenths := 0
	for _, digit := range line[blank+1:] {
		if digit < '0' || digit > '9' {
			return nil, errNoReading
		}
		tenths = 10*tenths + int(digit-'0')
	}
	return &reading{line[:blank], tenths}, nil
}

// ANCHOR_END: parse

// ANCHOR: loops

//go:noinline
func busy(lines []string) (sum int) {
	for _, line := range lines {
		if r, err := parse(line); err == nil {
			sum += r.tenths
		}
	}
	return sum
}

//go:noinline
func idle(lines []string) (sum int) {
	for _, line := range lines {
		if r, err := parse(line); err == nil {
			sum += r.tenths
		}
	}
	return sum
}

// ANCHOR_END: loops

var lines = []string{"Oslo 35", "Rome 140", "Kiel 82", "Bonn 90"}

func main() {
	fmt.Println("busy:", testing.AllocsPerRun(1000, func() { busy(lines) }), "allocs")
	fmt.Println("idle:", testing.AllocsPerRun(1000, func() { idle(lines) }), "allocs")
}
