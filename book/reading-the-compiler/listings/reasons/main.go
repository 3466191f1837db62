// Command reasons lets values flow along many ways.
package main

import "fmt"

type note struct{ text *string }

var board *string

//go:noinline
func copied(from, to []*string) { copy(to, from) }

//go:noinline
func added(list, more []*string) []*string { return append(list, more...) }

//go:noinline
func asserted(v any) { board, _ = v.(*string) }

//go:noinline
func switched(v any) {
	switch s := v.(type) {
	case *string:
		board = s
	}
}

//go:noinline
func received(c chan *string) { board, _ = <-c }

//go:noinline
func looked(m map[int]*string) { board, _ = m[1] }

//go:noinline
func ranged(list []*string) {
	for _, s := range list {
		board = s
	}
}

//go:noinline
func indexed(list *[2]*string, i int) { board = list[i] }

//go:noinline
func field(n note) { board = n.text }

//go:noinline
func sliced(a *[4]string) []string { return a[1:3] }

//go:noinline
func arrayed(s []*string) { board = [1]*string(s)[0] }

func main() {
	a, b := "a", "b"
	list := []*string{&a, &b}
	copied(list, make([]*string, 2))
	asserted(&a)
	switched(&b)
	c := make(chan *string, 1)
	c <- &a
	received(c)
	looked(map[int]*string{1: &b})
	ranged(list)
	indexed(&[2]*string{&a, &b}, 0)
	field(note{&b})
	arrayed(list)
	fmt.Println(*board, len(added(nil, list)), sliced(&[4]string{"n", "e", "s", "w"}))
}
