// Command chosen-function calls one of two functions.
package main

import (
	"fmt"
	"testing"
)

// ANCHOR: price

// An order is what is sold.
type order struct{ pieces, cents int }

func retail(o *order) int { return o.pieces * o.cents }

func wholesale(o *order) int { return o.pieces * o.cents * 9 / 10 }

// price returns what an order costs.
func price(pieces, cents int) int {
	rule := retail
	if pieces >= 100 {
		rule = wholesale
	}
	o := order{pieces, cents}
	return rule(&o)
}

func main() {
	fmt.Println(price(3, 250), price(200, 250),
		testing.AllocsPerRun(1000, func() { price(3, 250) }), "allocs")
}

// ANCHOR_END: price
