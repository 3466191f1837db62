// Command kept-substring keeps a short part of each of many long lines.
package main

import (
	"fmt"
	"runtime"
	"strings"
)

// ANCHOR: part
func idPart(line string) string {
	return line[:12]
}

// ANCHOR_END: part

// ANCHOR: clone
func idClone(line string) string {
	return strings.Clone(line[:12])
}

// ANCHOR_END: clone

// ANCHOR: main
func main() {
	show("part: ", idPart)
	show("clone:", idClone)
}

// show keeps the ids of 1000 lines of 4 KiB, and prints how much of the heap each of them holds, to the next 16 bytes.
func show(name string, id func(string) string) {
	ids := make([]string, 0, 1000)
	before := live()
	for i := 0; i < cap(ids); i++ {
		ids = append(ids, id(line(i)))
	}
	grown := live() - before
	runtime.KeepAlive(ids)
	each := (grown/uint64(len(ids)) + 8) / 16 * 16
	fmt.Println(name, each, "bytes for each id")
}

// live returns the bytes of the heap that a collection leaves.
func live() uint64 {
	runtime.GC()
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.HeapAlloc
}

// line returns a new line of 4 KiB that begins with an id of twelve bytes.
func line(i int) string {
	return fmt.Sprintf("visit-%06d", i) + strings.Repeat(".", 4096-12)
}

// ANCHOR_END: main
