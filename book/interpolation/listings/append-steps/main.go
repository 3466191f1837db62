// Command append-steps appends to a slice whose first array is on the stack, until it has to grow.
package main

//go:noinline
func collect(n int) int {
	cups := make([]int, 0, 4)
	for i := range n {
		cups = append(cups, 10*i)
	}
	return cap(cups)
}

func main() {
	println(collect(5))
}
