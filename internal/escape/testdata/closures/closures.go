// Package closures captures variables.
package closures

import "sync"

var kept *int

func counter() func() int {
	n := 0
	return func() int { n++; return n }
}

func large() func() byte {
	var block [200]byte
	return func() byte { return block[3] }
}

func start(work chan *int, n int) {
	var wg sync.WaitGroup
	defer wg.Wait()
	for i := range n {
		wg.Add(1)
		go func() { defer wg.Done(); work <- &i }()
		defer func() { kept = &n }()
	}
}

func result(n int) (res *int, err error) {
	defer func() { res = &n; recover() }()
	return nil, nil
}

func longer(xs []int) int {
	var last *int
	for i := range xs {
		last = new(int)
		*last = i
	}
	return *last
}

type list struct{ next, prev *list }

func (l *list) cut() { l.next = l.prev }
func (l *list) loop() {
	for l = l.next; l != nil; l = l.next {
		kept = nil
	}
}

func keep(m map[string]*int, l **list, p *int) *list {
	x, y := 1, new(int)
	m["x"] = &x
	m["y"] = y
	kept = p
	return *l
}
