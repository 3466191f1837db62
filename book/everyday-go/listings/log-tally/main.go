// Command log-tally counts how often each door was opened, from a log.
package main

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"strings"
	"testing"
)

const log = `07:58 garage opened by card 88
07:59 hall opened by card 88
08:03 garage opened by card 12
08:03 hall opened by card 12
08:04 study opened by card 12
08:17 garage opened by card 31
08:18 hall opened by card 31
08:21 cellar opened by card 88
08:26 garage opened by card 47
08:26 hall opened by card 47
08:30 study opened by card 47
08:31 attic opened by card 31
08:44 garage opened by card 19
08:45 hall opened by card 19
08:52 cellar opened by card 12
09:00 garage opened by card 88
09:04 attic opened by card 47
09:11 hall opened by card 31
09:12 study opened by card 31
09:30 garage opened by card 12
`

// ANCHOR: fields
func tally(log io.Reader) (map[string]int, error) {
	opened := make(map[string]int)
	lines := bufio.NewScanner(log)
	for lines.Scan() {
		fields := strings.Fields(lines.Text())
		if len(fields) > 1 {
			opened[fields[1]]++
		}
	}
	return opened, lines.Err()
}

// ANCHOR_END: fields

// ANCHOR: bytes
type counter struct {
	opened map[string]*int
}

func (c *counter) tally(log io.Reader) error {
	lines := bufio.NewScanner(log)
	for lines.Scan() {
		_, rest, _ := bytes.Cut(lines.Bytes(), space)
		door, _, _ := bytes.Cut(rest, space)
		if len(door) > 0 {
			c.count(door)
		}
	}
	return lines.Err()
}

func (c *counter) count(door []byte) {
	n := c.opened[string(door)]
	if n == nil {
		n = new(int)
		c.opened[string(door)] = n
	}
	*n++
}

var space = []byte(" ")

// ANCHOR_END: bytes

func main() {
	in := strings.NewReader("")
	c := &counter{opened: make(map[string]*int)}
	fmt.Println("Fields:", testing.AllocsPerRun(1000, func() {
		in.Reset(log)
		tally(in)
	}), "allocs")
	fmt.Println("Cut:   ", testing.AllocsPerRun(1000, func() {
		in.Reset(log)
		c.tally(in)
	}), "allocs")
}
