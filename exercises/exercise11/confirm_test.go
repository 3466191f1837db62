package kitchen_test

import (
	"math/rand/v2"
	"testing"

	"onthestack/exercises/exercise11"
)

// The checker runs these benchmarks for many operations before a solution passes. Each has to meet the
// target of BenchmarkAddNext by itself, with inputs of other classes.

// BenchmarkAddNextConfirm keeps up to 40 orders waiting: in every operation some come and as many are next.
// They are due at any time, and have any notes. No two operations have the same order.
func BenchmarkAddNextConfirm(b *testing.B) {
	r := newRand(b)
	orders := make([]kitchen.Order, 500)
	for i := range orders {
		orders[i] = randomOrder(r)
		if i%10 == 0 {
			orders[i].Dish, orders[i].Notes = "", make([]string, anySize(r, 1000))
		}
	}
	var pass kitchen.Pass
	model := line{make([]kitchen.Order, 0, 40)}
	add := func(o kitchen.Order) {
		pass.Add(o)
		model.add(o)
	}
	next := func() {
		got, ok := pass.Next()
		if want := model.next(); !ok || !same(got, want) {
			b.Fatalf("wrong order\n  got:  %v, %v\n  want: %v, true", got, ok, want)
		}
	}
	for _, o := range orders[:40] { // warm up
		add(o)
	}
	for range 40 {
		next()
	}

	clock := rand.IntN(1e8) // not from newRand: no call of this function repeats another's data
	i := 0
	for b.Loop() {
		for range 1 + i%40 {
			o := orders[i%len(orders)]
			o.Table += clock + i
			if o.Due < 8 {
				o.Due += i / 4
			}
			add(o)
		}
		for range 1 + i%40 {
			next()
		}
		i++
	}
}

// BenchmarkAddNextConfirmRush has a rush in one of 250 operations, of any size, up to as many orders as the
// benchmark has operations. A pass had such a rush before, so it has room for another.
func BenchmarkAddNextConfirmRush(b *testing.B) {
	r := newRand(b)
	most := min(b.N, 1<<14+1+r.IntN(1<<10))
	crowds := []int{most}
	for range 39 {
		crowds = append(crowds, anySize(r, most))
	}
	notes := make([]string, 100)

	var pass kitchen.Pass
	rush := func(crowd int) {
		for i := range crowd {
			pass.Add(kitchen.Order{Table: i, Due: (crowd + i) * 7919 % 997, Notes: notes[:i%len(notes)]})
		}
		last := kitchen.Order{Table: -1, Due: -1}
		for range crowd {
			o, ok := pass.Next()
			if !ok || o.Due < last.Due || o.Due == last.Due && o.Table <= last.Table {
				b.Fatalf("wrong order in a rush of %d\n  got:  %v, %v\n  want: an order after %v, true", crowd, o, ok,
					last)
			}
			last = o
		}
	}
	rush(most)

	b.ResetTimer()
	for i := range b.N {
		crowd := 1
		if i%250 == 0 {
			crowd = crowds[i/250%len(crowds)]
		}
		rush(crowd)
	}
}
