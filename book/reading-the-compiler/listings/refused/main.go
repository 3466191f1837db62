// Command refused has functions that are never inlined.
package main

import "fmt"

//go:noinline
func marked(n int) int { return n }

func recursive(n int) int {
	if n == 0 {
		return 0
	}
	return 1 + recursive(n-1)
}

func deferring(n *int) { defer func() { *n++ }() }

func starting(c chan int) { go func() { c <- 1 }() }

func selecting(c chan int) int {
	select {
	case n := <-c:
		return n
	}
}

func recovering() any { return recover() }

func main() {
	n, c := 0, make(chan int, 1)
	deferring(&n)
	starting(c)
	fmt.Println(marked(1), recursive(2), n, selecting(c), recovering())
}
