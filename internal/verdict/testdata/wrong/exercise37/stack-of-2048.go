// The stack has room for 2048 nodes.
package tree

import "iter"

type Tree struct{ root *node }

type node struct {
	key, value  int
	left, right *node
}

func (t *Tree) Set(key, value int) {
	at := &t.root
	for *at != nil && (*at).key != key {
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
}

func (t *Tree) All() iter.Seq2[int, int] {
	return func(yield func(key, value int) bool) { t.root.push(yield) }
}

func (n *node) push(yield func(key, value int) bool) {
	var stack [2048]*node
	depth := 0
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
