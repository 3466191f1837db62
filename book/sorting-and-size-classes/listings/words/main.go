// Command words looks into the two words of an interface.
package main

import (
	"fmt"
	"sort"
	"unsafe"
)

// ANCHOR: words
func main() {
	names := []string{"wren", "heron", "dipper"}
	fmt.Println("a word has", unsafe.Sizeof(uintptr(0)), "bytes")
	fmt.Println("a slice header has", unsafe.Sizeof(names))

	var order sort.Interface = sort.StringSlice(names)
	fmt.Println("an interface has", unsafe.Sizeof(order))

	box := (*sort.StringSlice)(dataWord(&order))
	fmt.Println("it points to names:", unsafe.Pointer(box) == unsafe.Pointer(&names))
	names = append(names, "tern")
	fmt.Println("names has", len(names), "birds, what it points to has", len(*box))

	order = (*byName)(&names)
	fmt.Println("now it points to names:", dataWord(&order) == unsafe.Pointer(&names))
}

// dataWord returns the second word of an interface. No program but one
// that explains interfaces needs this.
func dataWord(i *sort.Interface) unsafe.Pointer {
	return (*[2]unsafe.Pointer)(unsafe.Pointer(i))[1]
}

// ANCHOR_END: words

// byName is a slice with the methods of sort.Interface on its pointer.
type byName []string

func (b *byName) Len() int           { return len(*b) }
func (b *byName) Less(i, j int) bool { return (*b)[i] < (*b)[j] }
func (b *byName) Swap(i, j int)      { (*b)[i], (*b)[j] = (*b)[j], (*b)[i] }
