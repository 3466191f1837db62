// Command classes draws the size classes of the Go that runs it.
package main

import (
	"fmt"
	"math"
	"runtime"
	"runtime/metrics"
	"strings"
)

// ANCHOR: classes
func main() {
	const width = 32
	fmt.Println(runtime.Version() + ": █ the smallest object in a slot, · waste")
	fmt.Println()
	fmt.Printf("  size%*s  waste  for objects of\n", width+1, "")

	smallest := 1
	for _, size := range classes() {
		largest := largestIn(size)
		used := (smallest*width + size/2) / size
		fmt.Printf("%6d %s%s %5.1f%%  %d to %d bytes\n",
			size, strings.Repeat("█", used), strings.Repeat("·", width-used),
			100*float64(size-smallest)/float64(size), smallest, largest)
		smallest = largest + 1
	}
	fmt.Printf("\nfrom %d bytes on: pages of its own for each object\n", smallest)
}

// classes returns the sizes of the slots, the smallest first. The runtime counts its
// objects by size class, so the buckets of that histogram are the classes: the first
// one, from 1 to below 9, is for the objects that take 8 bytes. The last is for those
// that are too large for any class.
func classes() []int {
	var sizes []int
	for _, bound := range bySize().Buckets[1:] {
		if !math.IsInf(bound, 1) {
			sizes = append(sizes, int(bound)-1)
		}
	}
	return sizes
}

// largestIn returns the size of the largest object that goes into a slot of a class. One
// that is too large is counted in the last bucket of the histogram.
func largestIn(class int) int {
	for n := class; ; n-- {
		before := tooLarge()
		object = make([]byte, n)
		if tooLarge() == before {
			return n
		}
	}
}

var object []byte // on the heap

func tooLarge() uint64 {
	counts := bySize().Counts
	return counts[len(counts)-1]
}

func bySize() *metrics.Float64Histogram {
	sample := []metrics.Sample{{Name: "/gc/heap/allocs-by-size:bytes"}}
	metrics.Read(sample)
	return sample[0].Value.Float64Histogram()
}

// ANCHOR_END: classes
