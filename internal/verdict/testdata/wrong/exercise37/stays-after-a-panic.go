// After a loop's body has panicked, the nodes of its loop are still on the tree's stack, and the next loop begins there.
package tree

import "iter"

type Tree struct {
	root  *node
	loops int
	rooms [4][]*node // of loops inside each other
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
	for i := range t.rooms {
		if cap(t.rooms[i]) < depth+2 {
			t.rooms[i] = make([]*node, 0, 2*depth+8)
		}
	}
}

func (t *Tree) All() iter.Seq2[int, int] {
	return func(yield func(key, value int) bool) { t.each(yield) }
}

func (t *Tree) each(yield func(key, value int) bool) {
	room := &t.rooms[t.loops%len(t.rooms)]
	t.loops++
	for n := t.root; n != nil || len(*room) > 0; {
		for ; n != nil; n = n.left {
			*room = append(*room, n)
		}
		last := len(*room) - 1
		n = (*room)[last]
		*room = (*room)[:last]
		if !yield(n.key, n.value) {
			break
		}
		n = n.right
	}
	*room = (*room)[:0]
	t.loops--
}
