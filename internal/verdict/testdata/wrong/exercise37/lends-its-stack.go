// The tree lends its stack to one loop at a time, by a plain bool: goroutines that begin at once both get it.
// only: native
package tree

import "iter"

type Tree struct {
	root *node
	lent bool
	room []*node
}

type node struct {
	key, value  int
	left, right *node
}

func (t *Tree) Set(key, value int) {
	at := &t.root
	depth := 0
	for *at != nil && (*at).key != key {
		depth++
		if key < (*at).key {
			at = &(*at).left
		} else {
			at = &(*at).right
		}
	}
	if *at == nil {
		*at = &node{key: key}
	}
	(*at).value = value
	for len(t.room) < depth+2 {
		t.room = append(t.room, nil)
	}
}

func (t *Tree) All() iter.Seq2[int, int] {
	return func(yield func(key, value int) bool) { t.each(yield) }
}

func (t *Tree) each(yield func(key, value int) bool) {
	stack := t.room
	if t.lent {
		stack = make([]*node, len(t.room))
	} else {
		t.lent = true
		defer func() { t.lent = false }()
	}
	depth := 0
	n := t.root
	for n != nil || depth > 0 {
		for ; n != nil; n = n.left {
			stack[depth] = n
			depth++
		}
		depth--
		n = stack[depth]
		if !yield(n.key, n.value) {
			return
		}
		n = n.right
	}
}
