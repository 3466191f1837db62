// Package slices makes, grows, converts and copies.
package slices

import "unsafe"

var sink []*int

func sizes(n int) int {
	a := make([]byte, 64)
	b := make([]byte, n)
	c := make([]byte, 65<<10)
	d := make([]struct{}, 3)
	e := new([70 << 10]byte)
	var f [200 << 10]byte
	g := make(map[int]int, n)
	h := make(chan int, 1)
	h <- len(a) + len(b) + len(c) + len(d) + len(e) + len(f) + len(g)
	return <-h
}

func grow(n int) (int, []string) {
	var sum []int
	var out []string
	for i := range n {
		sum = append(sum, i)
		out = append(out, "n"+string(rune(i)))
	}
	return len(sum), out
}

func convert(s string, b []byte, m map[string]int) ([]byte, []rune, string) {
	for i := range []byte(s) {
		m[string(b)] += i
	}
	return []byte(s), []rune(s), string(b) + s
}

func move(dst, src []*int, c chan *int, p *int) *[2]*int {
	copy(dst, src)
	dst = append(dst, src...)
	sink = append(sink, p)
	pair := [2]*int{p, <-c}
	for _, q := range pair {
		sink[0] = q
	}
	for _, q := range src {
		sink = append(sink, q)
	}
	return (*[2]*int)(src)
}

func array(a [4]*int, s []*int) (*int, [2]*int) { return a[1:3][0], [2]*int(s) }

func all(xs ...*int) { sink = xs }

func call(x int, m map[*int]*int) *int {
	all(&x, nil)
	m[&x] = &x
	v, _ := m[nil]
	return v
}

type header struct{ data unsafe.Pointer }

func raw(h *header, p *int) *int {
	h.data = unsafe.Pointer(p)
	return (*int)(h.data)
}
