// Command unannounced allocates where nothing escapes.
package main

import (
	"fmt"
	"testing"
)

//go:noinline
func made(n int) int {
	seats := make([]byte, n)
	return len(seats)
}

//go:noinline
func grown(n int) int {
	var seats []byte
	for i := 0; i < n; i++ {
		seats = append(seats, 1)
	}
	return len(seats)
}

//go:noinline
func mapped(n int) int {
	seats := map[int]bool{}
	for i := 0; i < n; i++ {
		seats[i] = true
	}
	return len(seats)
}

//go:noinline
func joined(name string) int { return len("<" + name + ">") }

//go:noinline
func converted(name []byte) int {
	s := string(name)
	name[0]++
	return int(s[0])
}

//go:noinline
func spread(name string) int { r := []rune(name); return int(r[len(r)-1]) }

func main() {
	show("make", func() { made(32) }, func() { made(33) })
	show("append", func() { grown(32) }, func() { grown(33) })
	show("map", func() { mapped(8) }, func() { mapped(9) })
	short, long := "0123456789", "012345678901234567890123456789012"
	few, many := []byte(short), []byte(long)
	show("a + b", func() { joined(short) }, func() { joined(long) })
	show("string", func() { converted(few) }, func() { converted(many) })
	show("[]rune", func() { spread(short) }, func() { spread(long) })
}

func show(what string, small, large func()) {
	fmt.Printf("%-7s %v allocs, then %v\n", what,
		testing.AllocsPerRun(1000, small), testing.AllocsPerRun(1000, large))
}
