// Command recursive-iterator goes through a sorted tree of numbers.
package main

import (
	"fmt"
	"iter"
	"testing"
)

type tree struct {
	left, right *tree
	card        int
}

// ANCHOR: nested
func (t *tree) Nested() iter.Seq[int] {
	return func(yield func(int) bool) {
		if t == nil {
			return
		}
		for card := range t.left.Nested() {
			if !yield(card) {
				return
			}
		}
		if !yield(t.card) {
			return
		}
		for card := range t.right.Nested() {
			if !yield(card) {
				return
			}
		}
	}
}

// ANCHOR_END: nested

// ANCHOR: pushed
func (t *tree) All() iter.Seq[int] {
	return func(yield func(int) bool) { t.push(yield) }
}

// push passes the cards of the tree to yield, in order. It returns false as soon as yield does.
func (t *tree) push(yield func(int) bool) bool {
	return t == nil || t.left.push(yield) && yield(t.card) && t.right.push(yield)
}

// ANCHOR_END: pushed

// ANCHOR: main
func sumNested(t *tree) (sum int) {
	for card := range t.Nested() {
		sum += card
	}
	return sum
}

func sumPushed(t *tree) (sum int) {
	for card := range t.All() {
		sum += card
	}
	return sum
}

func main() {
	cards := grown(1, 15)
	fmt.Println("nested:", sumNested(cards), testing.AllocsPerRun(1000, func() { sumNested(cards) }), "allocs")
	fmt.Println("pushed:", sumPushed(cards), testing.AllocsPerRun(1000, func() { sumPushed(cards) }), "allocs")
}

// grown returns a balanced tree of the cards from first to last.
func grown(first, last int) *tree {
	if first > last {
		return nil
	}
	middle := (first + last) / 2
	return &tree{grown(first, middle-1), grown(middle+1, last), middle}
}

// ANCHOR_END: main
