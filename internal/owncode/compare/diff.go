package compare

// maxTable bounds the cells in the table of a longest common subsequence. In longer stretches no lines are paired;
// lines that allocate are then matched by their text alone.
const maxTable = 1 << 20

// A pair is a line of the old text and one of the new, by index.
type pair struct{ old, new int }

// align pairs equal lines of two texts in order: equal lines at the beginning, equal lines at the end, and a longest
// common subsequence of the lines between them.
func align(old, new []string) (pairs []pair) {
	begin, end := 0, 0
	for begin < min(len(old), len(new)) && old[begin] == new[begin] {
		pairs = append(pairs, pair{begin, begin})
		begin++
	}
	for end < min(len(old), len(new))-begin && old[len(old)-1-end] == new[len(new)-1-end] {
		end++
	}
	for _, p := range commonSubsequence(old[begin:len(old)-end], new[begin:len(new)-end]) {
		pairs = append(pairs, pair{begin + p.old, begin + p.new})
	}
	for i := range end {
		pairs = append(pairs, pair{len(old) - end + i, len(new) - end + i})
	}
	return pairs
}

// commonSubsequence pairs the lines of a longest common subsequence, and none if that would take too large a table.
func commonSubsequence(old, new []string) []pair {
	if len(old) == 0 || len(new) == 0 || len(old) > maxTable/len(new) {
		return nil
	}
	width := len(new) + 1
	length := make([]int32, (len(old)+1)*width) // of what follows both indexes
	for i := len(old) - 1; i >= 0; i-- {
		for j := len(new) - 1; j >= 0; j-- {
			if old[i] == new[j] {
				length[i*width+j] = length[(i+1)*width+j+1] + 1
			} else {
				length[i*width+j] = max(length[(i+1)*width+j], length[i*width+j+1])
			}
		}
	}
	var pairs []pair
	for i, j := 0, 0; i < len(old) && j < len(new); {
		switch {
		case old[i] == new[j]:
			pairs = append(pairs, pair{i, j})
			i, j = i+1, j+1
		case length[(i+1)*width+j] >= length[i*width+j+1]:
			i++
		default:
			j++
		}
	}
	return pairs
}
