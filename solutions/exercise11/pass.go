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

	// Changed: tickets that are not in use. They are made when more orders wait
	// than ever before, and never freed. So there are always as many tickets as
	// orders in the longest line so far. This is also the memory that they cost:
	// after one busy night the pass keeps them all.
	free []*ticket
}

// Len returns how many orders wait. There is no limit.
func (p *Pass) Len() int { return len(p.waiting) }

// Add puts an order on the pass.
func (p *Pass) Add(o Order) {
	var t *ticket
	if last := len(p.free) - 1; last >= 0 {
		t = p.free[last]
		p.free = p.free[:last]
	} else {
		t = new(ticket)
	}
	// All fields: the ticket may have been another order's.
	t.Order = o
	t.came = p.came
	p.came++

	// Changed: heap.Push takes an any. To become one, each ticket was copied
	// into a box, 64 bytes on the heap. A pointer needs no box: it is the data
	// word.
	heap.Push(&p.waiting, t)
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
	t := heap.Pop(&p.waiting).(*ticket)

	// The order is copied before the ticket is free, and what the caller gets is the
	// copy: a pointer to the ticket would show the caller another order later on.
	o := t.Order

	// A free ticket must not hold on to the dish and the notes that it had.
	*t = ticket{}
	p.free = append(p.free, t)
	return o, true
}

// The cost: every ticket is somewhere else in memory now, one more step for
// each comparison, and the rule that a ticket is in one place only, waiting or
// free, is kept by hand. The other way is to write Push, Pop and the two loops that
// move an element up and down for []ticket: thirty lines, no interface, no boxes,
// no list of free ones. container/heap is worth its detour when it spares those
// lines, or when elements are fixed or removed by their place.

// A ticket is an order that waits.
type ticket struct {
	Order
	came int // orders that were added before
}

// tickets is a heap: see container/heap.
type tickets []*ticket

func (t tickets) Len() int      { return len(t) }
func (t tickets) Swap(i, j int) { t[i], t[j] = t[j], t[i] }

func (t tickets) Less(i, j int) bool {
	if t[i].Due != t[j].Due {
		return t[i].Due < t[j].Due
	}
	return t[i].came < t[j].came
}

// Push puts x after the others.
func (t *tickets) Push(x any) { *t = append(*t, x.(*ticket)) }

// Pop removes the last ticket. Changed: what it returns is a pointer, so this
// any needs no box either; the report used to say "x escapes to heap".
func (t *tickets) Pop() any {
	last := len(*t) - 1
	x := (*t)[last]
	(*t)[last] = nil
	*t = (*t)[:last]
	return x
}
