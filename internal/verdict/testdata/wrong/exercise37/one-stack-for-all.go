// Loops share one stack, on which an inner loop is above the outer one: loops that go on in turn take each other's nodes.
// wasm: true
package tree

import "iter"

type Tree struct {
	root  *node
	room  []*node
	depth int
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
	for len(t.room) < 16*(depth+2) {
		t.room = append(t.room, nil)
	}
}

func (t *Tree) All() iter.Seq2[int, int] {
	return func(yield func(key, value int) bool) { t.each(yield) }
}

func (t *Tree) each(yield func(key, value int) bool) {
	bottom := t.depth
	defer func() { t.depth = bottom }()
	for n := t.root; n != nil || t.depth > bottom; {
		for ; n != nil; n = n.left {
			t.room[t.depth] = n
			t.depth++
		}
		t.depth--
		n = t.room[t.depth]
		if !yield(n.key, n.value) {
			return
		}
		n = n.right
	}
}
