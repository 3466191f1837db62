// A hundred tickets lie in the pass and are used again. Each further order allocates one, again and again.
// want: benchmark

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
	room    [100]ticket
	used    [100]bool
}

func (p *Pass) Len() int { return len(p.waiting) }

func (p *Pass) Add(o Order) {
	t := p.ticket()
	*t = ticket{o, p.came}
	p.came++
	heap.Push(&p.waiting, t)
}

func (p *Pass) ticket() *ticket {
	for i := range p.used {
		if !p.used[i] {
			p.used[i] = true
			return &p.room[i]
		}
	}
	return new(ticket)
}

func (p *Pass) Next() (Order, bool) {
	if len(p.waiting) == 0 {
		return Order{}, false
	}
	t := heap.Pop(&p.waiting).(*ticket)
	o := t.Order
	*t = ticket{}
	for i := range p.room {
		if t == &p.room[i] {
			p.used[i] = false
		}
	}
	return o, true
}

type ticket struct {
	Order
	came int
}

type tickets []*ticket

func (t tickets) Len() int { return len(t) }

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
