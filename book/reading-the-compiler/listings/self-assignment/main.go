// Command self-assignment assigns a slice of a field to the same field.
package main

import "fmt"

type queue struct{ waiting []int }

//go:noinline
func (q *queue) skip() { q.waiting = q.waiting[1:] }

func main() {
	q := queue{waiting: []int{41, 42, 43}}
	q.skip()
	fmt.Println(q.waiting)
}
