// The task: checkalloc task exercise11

// Package kitchen tells the cook which dish to make next.
// Orders come in all evening; the one that is due first
// is next.
package kitchen

import "container/heap"

// An Order is one dish for a table.
type Order struct {
	Table int
	Dish  string
	Due   int      // minutes, in whichever way they are counted
	Notes []string // what the guest asked for
}

// A Pass holds the orders that wait. The zero Pass is
// empty and ready. Passes are independent of each other;
// each is used by one goroutine at a time.
type Pass struct {
	waiting tickets
	came    int // orders ever added
}

// Len returns how many orders wait. There is no limit.
func (p *Pass) Len() int { return len(p.waiting) }

// Add puts an order on the pass.
func (p *Pass) Add(o Order) {
	heap.Push(&p.waiting, ticket{o, p.came})
	p.came++
}

// Next removes the order with the smallest Due and returns
// it as it was added. Among orders with the same Due, the
// one that was added first is next. With no order waiting,
// Next returns false and the zero Order.
//
// The caller owns what Next has returned. The pass never
// changes it and keeps nothing of it, so that the memory
// of its Notes can be freed.
func (p *Pass) Next() (Order, bool) {
	if len(p.waiting) == 0 {
		return Order{}, false
	}
	return heap.Pop(&p.waiting).(ticket).Order, true
}

// A ticket is an order that waits.
type ticket struct {
	Order
	came int // orders that were added before
}

// tickets is a heap: see container/heap.
type tickets []ticket

func (t tickets) Len() int      { return len(t) }
func (t tickets) Swap(i, j int) { t[i], t[j] = t[j], t[i] }

func (t tickets) Less(i, j int) bool {
	if t[i].Due != t[j].Due {
		return t[i].Due < t[j].Due
	}
	return t[i].came < t[j].came
}

// Push puts x after the others.
func (t *tickets) Push(x any) { *t = append(*t, x.(ticket)) }

// Pop removes the last ticket.
func (t *tickets) Pop() any {
	last := len(*t) - 1
	x := (*t)[last]
	(*t)[last] = ticket{} // keep nothing of it
	*t = (*t)[:last]
	return x
}
