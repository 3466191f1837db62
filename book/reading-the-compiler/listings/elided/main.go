// Command elided indexes an array within its bounds.
package main

import "fmt"

var names = [4]string{"north", "east", "south", "west"}

//go:noinline
func wind(direction uint8) string {
	const four = "NESW"
	return names[direction&3] + " " + string(four[direction&3])
}

func main() {
	fmt.Println(wind(5))
}
