// Orders are numbered in 16 bits, so the 65,537th overtakes.

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
	came    uint16
	free    []*ticket
}

func (p *Pass) Len() int { return len(p.waiting) }

func (p *Pass) Add(o Order) {
	var t *ticket
	if last := len(p.free) - 1; last >= 0 {
		t, p.free = p.free[last], p.free[:last]
	} else {
		t = new(ticket)
	}
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
	p.free = append(p.free, t)
	return o, true
}

type ticket struct {
	Order
	came uint16
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
