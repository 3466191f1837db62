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
	w.sorted = slices.Insert(w.sorted, i, reading)
	w.recent = append(w.recent, reading)
}

// drop takes the oldest reading out.
func (w *window) drop() {
	i, _ := slices.BinarySearch(w.sorted, w.recent[0])
	w.sorted = slices.Delete(w.sorted, i, i+1)
	w.recent = slices.Delete(w.recent, 0, 1)
}

// median returns the reading in the middle.
func (w *window) median() int32 {
	return w.sorted[(len(w.sorted)-1)/2]
}
