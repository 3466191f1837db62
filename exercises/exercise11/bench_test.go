package kitchen_test

import (
	"testing"

	"onthestack/exercises/exercise11"
)

func BenchmarkAddNext(b *testing.B) {
	var pass kitchen.Pass
	for i := range 21 {
		pass.Add(kitchen.Order{Table: i, Dish: "plum cake", Due: i})
	}
	order, _ := pass.Next() // from here on 20 orders wait, or 21

	for b.Loop() {
		order.Due += 21
		pass.Add(order)
		order, _ = pass.Next()
	}
}
