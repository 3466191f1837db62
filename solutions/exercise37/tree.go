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
	// Changed: the iterator only starts the recursion. It is small enough to be inlined
	// into the caller's loop, so that neither it nor the loop's body is on the heap.
	return func(yield func(key, value int) bool) { t.root.push(yield) }
}

// push passes the entries of a subtree to yield, in order,
// and returns false as soon as yield does.
func (n *node) push(yield func(key, value int) bool) bool {
	// Changed: no function literal is left. Each node used to make the iterators of its
	// two children and the bodies of two loops, which did nothing but hand an entry on.
	// Here the caller's yield goes down to each node, and its answer comes back up: && does
	// not call what is on its right after the first false.
	return n == nil || n.left.push(yield) && yield(n.key, n.value) && n.right.push(yield)
	// The cost: nothing. An entry at depth d used to pass through d loops on its way
	// to the caller, and now it takes a single call.
}
