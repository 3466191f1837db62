package kitchen_test

import (
	"math/rand/v2"
	"slices"
	"testing"

	"onthestack/exercises/exercise5"
)

// usual is how many operations have no rush: the checker's figures are over these, and
// a pass is confirmed over many more.
const usual = 1001

// BenchmarkAddNext keeps 20 orders waiting: in every operation one comes and one is
// next. After the usual operations there is now and then a rush on another pass, as
// large as one that it had before. No two operations have the same order, and each
// result is compared with what must come.
func BenchmarkAddNext(b *testing.B) {
	r := newRand(b)
	orders := make([]kitchen.Order, 50)
	for i := range orders {
		orders[i] = randomOrder(r)
	}

	// Warm up: the pass and the model grow to more than they will hold.
	var pass kitchen.Pass
	var model line
	for i := range 40 {
		o := orders[i]
		pass.Add(o)
		model.add(o)
	}
	for range 20 {
		got, _ := pass.Next()
		if want := model.next(); !same(got, want) {
			b.Fatalf("wrong order\n  got:  %v\n  want: %v", got, want)
		}
	}
	model.orders = slices.Grow(model.orders, 20)

	var busy kitchen.Pass
	notes := make([]string, 100)
	crowds := []int{1<<14 + 1, 1, 33, 129, 513, 2049, 8193}
	rush := func(clock int) {
		crowd := crowds[clock%len(crowds)]
		for i := range crowd {
			busy.Add(kitchen.Order{Table: i, Due: (clock + i) * 7919 % 997, Notes: notes[:i%len(notes)]})
		}
		last := kitchen.Order{Table: -1, Due: -1}
		for range crowd {
			o, ok := busy.Next()
			if !ok || o.Due < last.Due || o.Due == last.Due && o.Table <= last.Table {
				b.Fatalf("wrong order in a rush of %d\n  got:  %v, %v\n  want: an order after %v, true", crowd, o, ok,
					last)
			}
			last = o
		}
	}
	if b.N > usual {
		rush(0)
	}

	clock := rand.IntN(1e8) // not from r: no call of this function repeats another's data
	b.ResetTimer()
	for i := range b.N {
		o := orders[i%len(orders)]
		// Mostly ahead of those that wait, or equal to them, or behind.
		o.Due = clock + i/4 + (clock+i)%7*5
		o.Table = clock + i
		if i > usual && i%3 == 0 {
			o.Due = -o.Due
			o.Dish = ""
		}
		pass.Add(o)
		model.add(o)
		got, ok := pass.Next()
		if want := model.next(); !ok || !same(got, want) {
			b.Fatalf("wrong order\n  got:  %v, %v\n  want: %v, true", got, ok, want)
		}
		if i > usual && i%1000 == 0 {
			rush(i / 1000)
		}
	}
}
