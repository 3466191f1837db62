// Package generic is instantiated several times.
package generic

import "sync/atomic"

type node[V any] struct {
	v    V
	next *node[V]
}

func push[V any](l *node[V], v V) *node[V] { return &node[V]{v, l} }

func address[V any](v V) *V { return &v }

func (n *node[V]) first() V { return n.v }

func use(s string) (*node[int], *node[string], *string) {
	return push(nil, 1), push(push(nil, s), "y"), address(s)
}

func load(p *atomic.Pointer[node[int]]) int { return p.Load().first() }

func deep(n int, p *int) *int {
	if n == 0 {
		return p
	}
	return deep(n-1, p)
}

func many(p *int) (a, b, c, d, e, f, g, h *int) { return p, p, p, p, p, p, p, p }
