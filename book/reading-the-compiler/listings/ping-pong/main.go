// Command ping-pong has two functions that call each other.
package main

import "fmt"

var shots int

func ping(n int) {
	if n > 0 {
		pong(n - 1)
	}
}

func pong(n int) {
	if shots++; n > 0 {
		ping(n - 1)
	}
}

func main() {
	ping(5)
	fmt.Println(shots)
}
