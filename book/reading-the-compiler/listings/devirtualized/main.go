// Command devirtualized calls methods through interfaces whose content is known.
package main

import "fmt"

type bell interface{ ring() string }

type door struct{ name string }

func (d *door) ring() string { return d.name }

// A porch rings through whatever bell it has.
type porch struct{ bell }

//go:noinline
func known() int {
	var b bell = &door{name: "front"}
	return len(b.ring())
}

//go:noinline
func inPart(inner bell) int {
	var b bell = porch{inner}
	return len(b.ring())
}

//go:noinline
func unknown(b bell) int { return len(b.ring()) }

func main() {
	back := &door{name: "back"}
	fmt.Println(known(), inPart(back), unknown(back))
}
