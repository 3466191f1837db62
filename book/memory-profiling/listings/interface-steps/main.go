// Command interface-steps stores a price in an interface, and then a pointer to it.
package main

type price struct{ euros, cents int }

var last any

//go:noinline
func rememberValue(p price) { last = p }

//go:noinline
func rememberPointer(p *price) { last = p }

func main() {
	coffee := price{3, 20}
	rememberValue(coffee)
	coffee.cents = 50
	rememberPointer(&coffee)
	coffee.cents = 80
}
