// Command go-statement starts a goroutine that refers to a variable.
package main

import (
	"fmt"
	"testing"
)

//go:noinline
func ask(number int) int {
	answer := make(chan int)
	go func() { answer <- number + 1 }()
	return <-answer
}

func main() {
	fmt.Println(ask(41), testing.AllocsPerRun(1000, func() { ask(41) }) > 0)
}
