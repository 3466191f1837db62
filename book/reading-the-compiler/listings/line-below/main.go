// Command line-below moves a variable to the heap because of a single line far below its declaration.
package main

var longDay *int

//go:noinline
func total(minutes [2]int) int {
	sum := 0
	for _, m := range minutes {
		if m < 0 {
			continue
		}
		sum += m
	}
	if sum > 24*60 {
		sum = 24 * 60
	}
	if sum > 8*60 {
		longDay = &sum
	}
	return sum
}

func main() {
	println(total([2]int{50, 40}))
}
