package kitchen_test

import (
	"cmp"
	"math"
	"math/rand/v2"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"unsafe"
	"weak"

	"onthestack/exercises/exercise11"
)

// expect takes the next order and compares it with what must come.
func expect(t *testing.T, pass *kitchen.Pass, want kitchen.Order) {
	t.Helper()
	got, ok := pass.Next()
	if !ok {
		t.Fatalf("Next returns no order\n  got:  %v, %v\n  want: %v, true", got, ok, want)
	}
	if !same(got, want) {
		t.Fatalf("wrong order\n  got:  %v\n  want: %v", got, want)
	}
}

// expectNone compares what an empty pass returns.
func expectNone(t *testing.T, pass *kitchen.Pass) {
	t.Helper()
	if n := pass.Len(); n != 0 {
		t.Fatalf("wrong Len when no order waits\n  got:  %d\n  want: 0", n)
	}
	if got, ok := pass.Next(); ok || !same(got, kitchen.Order{}) {
		t.Fatalf("Next returns an order when none waits\n  got:  %v, %v\n  want: %v, false", got, ok, kitchen.Order{})
	}
}

func TestOrder(t *testing.T) {
	for _, test := range []struct {
		name string
		due  []int // of tables 0, 1, 2, …
		want []int // tables
	}{
		{"none", nil, nil},
		{"one", []int{5}, []int{0}},
		{"two", []int{5, 3}, []int{1, 0}},
		{"in order", []int{1, 2, 3, 4, 5}, []int{0, 1, 2, 3, 4}},
		{"backwards", []int{5, 4, 3, 2, 1}, []int{4, 3, 2, 1, 0}},
		{"two at once", []int{7, 7}, []int{0, 1}},
		{"all at once", []int{7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7}, []int{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10}},
		{"at once, between others", []int{9, 7, 1, 7, 8, 7}, []int{2, 1, 3, 5, 4, 0}},
		{"overdue", []int{0, -1, 1, -2}, []int{3, 1, 0, 2}},
		{"the extremes", []int{math.MaxInt, math.MinInt, 1, -1, math.MaxInt, math.MinInt}, []int{1, 5, 3, 2, 0, 4}},
	} {
		t.Run(test.name, func(t *testing.T) {
			var pass kitchen.Pass
			for table, due := range test.due {
				pass.Add(kitchen.Order{Table: table, Due: due})
			}
			if n := pass.Len(); n != len(test.due) {
				t.Fatalf("wrong Len after orders were added\n  got:  %d\n  want: %d", n, len(test.due))
			}
			for i, table := range test.want {
				if got, ok := pass.Next(); !ok || got.Table != table {
					t.Fatalf("wrong order from call %d of Next\n  due:  %v\n  got:  table %d, %v\n"+
						"  want: table %d, true",
						i+1, test.due, got.Table, ok, table)
				}
			}
			expectNone(t, &pass)
			expectNone(t, &pass)
		})
	}
}

// An evening: orders come and go in any mixture, in rushes and lulls. Whatever was
// returned is compared once more at the end, when all of it should be untouched.
func TestEvening(t *testing.T) {
	r := newRand(t)
	var pass kitchen.Pass
	var model line
	var got, want []kitchen.Order
	for range 60 {
		for range r.IntN(40) {
			o := randomOrder(r)
			pass.Add(o)
			model.add(o)
		}
		for range r.IntN(40) {
			if len(model.orders) == 0 {
				expectNone(t, &pass)
				break
			}
			want = append(want, model.next())
			o, ok := pass.Next()
			if got = append(got, o); !ok || !same(o, want[len(want)-1]) {
				t.Fatalf("wrong order, after %d right ones\n  got:  %v, %v\n  want: %v, true", len(want)-1, o, ok,
					want[len(want)-1])
			}
		}
		if pass.Len() != len(model.orders) {
			t.Fatalf("wrong Len\n  got:  %d\n  want: %d", pass.Len(), len(model.orders))
		}
	}
	for i := range want {
		if !same(got[i], want[i]) {
			t.Fatalf("an order has changed since Next returned it\n  got:  %v\n  want: %v", got[i], want[i])
		}
	}
}

// The caller uses its own variable, and what Next returned, for something else.
func TestOrdersAreCopies(t *testing.T) {
	r := newRand(t)
	var pass kitchen.Pass
	var model line
	var o kitchen.Order
	for range 100 {
		o = randomOrder(r)
		pass.Add(o)
		model.add(o)
		o.Due, o.Table, o.Dish, o.Notes = -1, 0, "", nil
		if r.IntN(2) == 0 {
			got, ok := pass.Next()
			if want := model.next(); !ok || !same(got, want) {
				t.Fatalf("wrong order\n  got:  %v, %v\n  want: %v, true", got, ok, want)
			}
			got.Due, got.Table, got.Dish, got.Notes = -1, 0, "", nil
		}
	}
	for len(model.orders) > 0 {
		expect(t, &pass, model.next())
	}
}

// A rush of any size, again and again. There is no limit: one has more orders than
// 1 MiB can hold.
func TestRush(t *testing.T) {
	r := newRand(t)
	var pass kitchen.Pass
	sizes := []int{1, 0, 3, 1<<14 + 1 + r.IntN(1<<15)}
	for range 12 {
		sizes = append(sizes, anySize(r, 3000))
	}
	for _, n := range sizes {
		orders := make([]kitchen.Order, n)
		for i := range orders {
			orders[i] = randomOrder(r)
			pass.Add(orders[i])
		}
		slices.SortStableFunc(orders, func(a, b kitchen.Order) int { return cmp.Compare(a.Due, b.Due) })
		for _, o := range orders {
			expect(t, &pass, o)
		}
		expectNone(t, &pass)
	}
}

// Orders with the same Due keep their order, also when others come between them
// and when what held the earlier ones is used again.
func TestFirstCome(t *testing.T) {
	r := newRand(t)
	var pass kitchen.Pass
	table := 0
	for range 20 {
		pass.Add(kitchen.Order{Table: table, Due: 7})
		table++
	}
	for next := range 500 {
		for early := range r.IntN(3) {
			pass.Add(kitchen.Order{Table: -1 - early, Due: early})
		}
		for {
			o, ok := pass.Next()
			if !ok {
				t.Fatal("Next returns no order, but orders wait\n  got:  false\n  want: true")
			}
			if o.Table < 0 {
				continue
			}
			if o.Table != next {
				t.Fatalf("wrong order of orders that are all due at once\n  got:  the one added as number %d\n"+
					"  want: number %d", o.Table+1, next+1)
			}
			break
		}
		pass.Add(kitchen.Order{Table: table, Due: 7})
		table++
	}
}

// Many orders come and go though few wait at a time: more than 16 bits can count.
func TestLongEvening(t *testing.T) {
	var pass kitchen.Pass
	next := 0
	for table := range 1<<16 + 1 + newRand(t).IntN(1<<17) {
		pass.Add(kitchen.Order{Table: table, Due: 7})
		if table-next < 3 {
			continue
		}
		if got, ok := pass.Next(); !ok || got.Table != next {
			t.Fatalf("wrong order of orders that are all due at once, after many\n"+
				"  got:  the one added as number %d, %v\n  want: number %d, true", got.Table+1, ok, next+1)
		}
		next++
	}
}

// The heap of a pass depends on the largest number of orders that ever waited at once,
// and neither on those that have come nor on those that might still come.
func TestMemory(t *testing.T) {
	r := newRand(t)
	for _, test := range []struct{ waiting, came int }{
		{1, anySize(r, 1000)},
		{1 + r.IntN(4), 1<<14 + r.IntN(1<<14)},
		{40, 500},
		{anySize(r, 200), anySize(r, 1<<14)},
		{1000, 500},
		{anySize(r, 3000), anySize(r, 1<<14)},
	} {
		got := kept(1+20/test.waiting, func() *kitchen.Pass {
			pass := new(kitchen.Pass)
			for i := range test.waiting {
				pass.Add(kitchen.Order{Due: i})
			}
			for i := range test.came {
				pass.Add(kitchen.Order{Due: i})
				pass.Next()
			}
			return pass
		})
		if want := 8<<10 + 256*test.waiting; got > want {
			t.Errorf("a pass keeps much more memory than its orders take\n  waiting: at most %d at once\n"+
				"  came:    %d\n  got:     %d bytes\n  want:    at most %d bytes",
				test.waiting+1, test.waiting+test.came, got, want)
		}
	}
}

// Two passes know nothing of each other.
func TestTwoPasses(t *testing.T) {
	r := newRand(t)
	var passes [2]kitchen.Pass
	var models [2]line
	for range 300 {
		i := r.IntN(2)
		if o := randomOrder(r); r.IntN(3) > 0 {
			passes[i].Add(o)
			models[i].add(o)
		} else if len(models[i].orders) > 0 {
			expect(t, &passes[i], models[i].next())
		}
	}
	for i := range passes {
		for len(models[i].orders) > 0 {
			expect(t, &passes[i], models[i].next())
		}
		expectNone(t, &passes[i])
	}
}

// Passes are used at once, each by a goroutine of its own.
func TestAtOnce(t *testing.T) {
	r := newRand(t)
	rounds := 20
	if runtime.NumCPU() == 1 {
		rounds = 2 // goroutines that take turns do not meet more often in more rounds
	}
	var calls sync.WaitGroup
	start := make(chan struct{})
	for range 4 {
		orders := make([]kitchen.Order, 50)
		for i := range orders {
			orders[i] = randomOrder(r)
		}
		calls.Go(func() {
			<-start
			var pass kitchen.Pass
			var model line
			for range rounds {
				for _, o := range orders {
					pass.Add(o)
					model.add(o)
				}
				for len(model.orders) > 10 {
					got, ok := pass.Next()
					if want := model.next(); !ok || !same(got, want) {
						t.Errorf("wrong order when goroutines use passes at once\n  got:  %v, %v\n  want: %v, true",
							got, ok, want)
						return
					}
				}
			}
		})
	}
	close(start)
	calls.Wait()
}

// The pass lives on, the orders that it has handed out do not, nor the texts and lists
// of which their dishes and Notes were a part.
func TestKeepsNothing(t *testing.T) {
	r := newRand(t)
	var pass kitchen.Pass
	pass.Add(kitchen.Order{Table: 1, Due: math.MaxInt})
	for _, orders := range []int{1, 2, 100, anySize(r, 100), anySize(r, 100)} {
		served := serve(t, r, &pass, orders)
		for range 5 {
			runtime.GC()
		}
		kept := 0
		for _, memory := range served {
			if memory.kept() {
				kept++
			}
		}
		if kept > 0 {
			t.Fatalf("the pass keeps something of the orders that it has handed out\n  orders: %d\n"+
				"  got:    %d of their texts and lists of notes are still in memory\n  want:   0", orders, kept)
		}
	}
	expect(t, &pass, kitchen.Order{Table: 1, Due: math.MaxInt}) // so the pass was alive all along
	expectNone(t, &pass)
}

// serve adds orders and takes them again. It returns pointers to the texts and lists of
// which their dishes and Notes are a part, which do not keep these alive.
//
//go:noinline
func serve(t *testing.T, r *rand.Rand, pass *kitchen.Pass, orders int) []interface{ kept() bool } {
	var served []interface{ kept() bool }
	text := func() string {
		whole := strings.Repeat("plum cake ", 7+anySize(r, 500))
		served = append(served, pointer[byte]{weak.Make(unsafe.StringData(whole))})
		from := r.IntN(len(whole) - 50)
		return whole[from:][:anySize(r, 50)-1]
	}
	for i := range orders {
		list := []string{text(), text(), text(), text()}
		served = append(served, pointer[string]{weak.Make(&list[0])})
		from := r.IntN(len(list))
		notes := list[from:][:r.IntN(len(list)-from+1)]
		pass.Add(kitchen.Order{Table: -1, Dish: text(), Due: i % 3, Notes: notes})
	}
	for range orders {
		if o, ok := pass.Next(); !ok || o.Table != -1 {
			t.Fatalf("wrong order\n  got:  %v, %v\n  want: an order of table -1, true", o, ok)
		}
	}
	return served
}

// A pointer tells whether something keeps what it points to, and does not do so itself.
type pointer[T any] struct{ weak.Pointer[T] }

func (p pointer[T]) kept() bool { return p.Value() != nil }
