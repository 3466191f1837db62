// A width of less than zero is its size.

package tide

import "slices"

const few = 32

func Smooth(dst, readings []int32, width int) []int32 {
	var room [2 * few]int32
	w := window{room[:0:few], room[few:few]}
	if width < 0 {
		width = max(-width, 1)
	}
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

type window struct {
	recent []int32 // as they came
	sorted []int32 // by size
}

func (w *window) add(reading int32) {
	i, _ := slices.BinarySearch(w.sorted, reading)

	w.sorted = w.sorted[:len(w.sorted)+1]
	copy(w.sorted[i+1:], w.sorted[i:])
	w.sorted[i] = reading

	w.recent = w.recent[:len(w.recent)+1]
	w.recent[len(w.recent)-1] = reading
}

func (w *window) drop() {
	i, _ := slices.BinarySearch(w.sorted, w.recent[0])

	copy(w.sorted[i:], w.sorted[i+1:])
	w.sorted = w.sorted[:len(w.sorted)-1]

	copy(w.recent, w.recent[1:])
	w.recent = w.recent[:len(w.recent)-1]
}

func (w *window) median() int32 {
	return w.sorted[(len(w.sorted)-1)/2]
}
