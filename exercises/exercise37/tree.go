// The task: checkalloc task exercise37

// Package tree keeps entries in the order of their keys.
package tree

import "iter"

// A Tree is a search tree. Its zero value is empty.
type Tree struct {
	root *node
}

// A node has the smaller keys on its left and the larger
// ones on its right.
type node struct {
	key, value  int
	left, right *node
}

// Set stores a value under a key, in place of the value
// that the key has, if any.
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

// All returns an iterator over the keys and their values, in
// the order of the keys. It may be used any number of times,
// and each time begins with the smallest key. The tree may
// have any shape and any depth, and it does not change while
// a loop goes through it. Goroutines may do so at once.
func (t *Tree) All() iter.Seq2[int, int] {
	return t.root.all()
}

func (n *node) all() iter.Seq2[int, int] {
	return func(yield func(key, value int) bool) {
		if n == nil {
			return
		}
		for key, value := range n.left.all() {
			if !yield(key, value) {
				return
			}
		}
		if !yield(n.key, n.value) {
			return
		}
		for key, value := range n.right.all() {
			if !yield(key, value) {
				return
			}
		}
	}
}
