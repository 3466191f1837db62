// Command returned returns what expressions make.
package main

import "fmt"

//go:noinline
func greet(name string) string { return "Good morning, " + name }

//go:noinline
func text(b []byte) string { return string(b) }

//go:noinline
func data(s string) []byte { return []byte(s) }

//go:noinline
func line(n int) []int { return make([]int, n) }

//go:noinline
func grow(line []int, number int) []int { return append(line, number) }

//go:noinline
func board() map[string]int { return make(map[string]int) }

//go:noinline
func number() *int { return new(int) }

func main() {
	fmt.Println(greet("Ada"), text([]byte("to the")), string(data("window")),
		len(line(3)), grow(nil, 42), len(board()), *number())
}
