// Every pass has room for 2048 orders in itself, and panics beyond.

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
	room    [2048]ticket
	free    [2048]int
	used    int // of room
	unused  int // of free
}

func (p *Pass) Len() int { return len(p.waiting) }

func (p *Pass) Add(o Order) {
	var t *ticket
	if p.unused > 0 {
		p.unused--
		t = &p.room[p.free[p.unused]]
	} else {
		t = &p.room[p.used]
		t.place = p.used
		p.used++
	}
	place := t.place
	*t = ticket{o, p.came, place}
	p.came++
	heap.Push(&p.waiting, t)
}

func (p *Pass) Next() (Order, bool) {
	if len(p.waiting) == 0 {
		return Order{}, false
	}
	t := heap.Pop(&p.waiting).(*ticket)
	o := t.Order
	p.free[p.unused] = t.place
	p.unused++
	t.Order = Order{}
	return o, true
}

type ticket struct {
	Order
	came  int
	place int
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
