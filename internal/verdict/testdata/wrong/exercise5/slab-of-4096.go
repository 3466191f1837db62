// Tickets come from a slab and are never used again.
// quick: true

package kitchen

import "container/heap"

type Order struct {
	Table int
	Dish  string
	Due   int
	Notes []string
}

type Pass struct {
	waiting tickets
	came    int
	slab    []ticket
}

func (p *Pass) Len() int { return len(p.waiting) }

func (p *Pass) Add(o Order) {
	if len(p.slab) == 0 {
		p.slab = make([]ticket, 4096)
	}
	t := &p.slab[0]
	p.slab = p.slab[1:]
	*t = ticket{o, p.came}
	p.came++
	heap.Push(&p.waiting, t)
}

func (p *Pass) Next() (Order, bool) {
	if len(p.waiting) == 0 {
		return Order{}, false
	}
	t := heap.Pop(&p.waiting).(*ticket)
	o := t.Order
	*t = ticket{}
	return o, true
}

type ticket struct {
	Order
	came int
}

type tickets []*ticket

func (t tickets) Len() int      { return len(t) }
func (t tickets) Swap(i, j int) { t[i], t[j] = t[j], t[i] }

func (t tickets) Less(i, j int) bool {
	if t[i].Due != t[j].Due {
		return t[i].Due < t[j].Due
	}
	return t[i].came < t[j].came
}

func (t *tickets) Push(x any) { *t = append(*t, x.(*ticket)) }

func (t *tickets) Pop() any {
	last := len(*t) - 1
	x := (*t)[last]
	(*t)[last] = nil
	*t = (*t)[:last]
	return x
}
