// The task: checkalloc task exercise18

// Package tide takes the spikes out of what a tide gauge
// reads when a wave or a gull gets in its way.
package tide

import "slices"

// few is how many readings most windows have at most.
const few = 32

// Smooth appends to dst, for each reading, the median of a
// window: the reading itself and those before it, width in
// all, or fewer at the beginning. If their number is even,
// the median is the lower of the two in the middle. A
// width below 2 leaves the readings as they are.
//
// dst may be readings[:0]; Smooth then puts the medians in
// the readings' place. Goroutines may call Smooth at once,
// each with a dst of its own.
func Smooth(dst, readings []int32, width int) []int32 {
	// Nothing changed here, and yet the compiler no longer reports "moved to
	// heap: room". The cause was never in this function: add and drop stored
	// what w's slices point to where it might be kept.
	var room [2 * few]int32
	w := window{room[:0:few], room[few:few]}
	if width > few {
		width = min(width, len(readings))
		w = window{make([]int32, 0, width), make([]int32, 0, width)}
	}

	for _, reading := range readings {
		if len(w.recent) >= max(width, 1) {
			w.drop()
		}
		w.add(reading)
		dst = append(dst, w.median())
	}
	return dst
}

// A window holds the latest readings twice.
type window struct {
	recent []int32 // as they came
	sorted []int32 // by size
}

// add puts a reading in.
func (w *window) add(reading int32) {
	i, _ := slices.BinarySearch(w.sorted, reading)

	// Changed: slices.Insert and append return a slice, and storing that through w counts
	// as storing it on the heap: "leaking param content: w". It does not help that it is
	// a slice of the same array. The compiler recognizes a reslice that is written out:
	// "ignoring self-assignment in w.sorted = w.sorted[:len(w.sorted) + 1]".
	w.sorted = w.sorted[:len(w.sorted)+1]
	copy(w.sorted[i+1:], w.sorted[i:])
	w.sorted[i] = reading

	w.recent = w.recent[:len(w.recent)+1]
	w.recent[len(w.recent)-1] = reading
	// The cost: Insert and append find a larger array when there is no room.
	// This panics. Smooth makes sure that a window never holds more than its width.
}

// drop takes the oldest reading out.
func (w *window) drop() {
	i, _ := slices.BinarySearch(w.sorted, w.recent[0])

	// Changed: slices.Delete returns a slice as well. These two lines do the
	// same.
	copy(w.sorted[i:], w.sorted[i+1:])
	w.sorted = w.sorted[:len(w.sorted)-1]

	copy(w.recent, w.recent[1:])
	w.recent = w.recent[:len(w.recent)-1]
}

// median returns the reading in the middle.
func (w *window) median() int32 {
	return w.sorted[(len(w.sorted)-1)/2]
}
