package compare

import "slices"

// maxTable bounds the cells in the table of a longest common subsequence. In longer stretches without a unique line,
// nothing is matched.
const maxTable = 1 << 20

// A pair is a line of the old text and one of the new, by index.
type pair struct{ old, new int }

// align pairs equal lines of two texts in order: first the lines that are unique on both sides, then the lines between
// those.
func align(old, new []string) []pair {
	var pairs []pair
	alignBetween(old, new, 0, 0, &pairs)
	return pairs
}

// alignBetween aligns two parts of texts, which begin at the given indexes.
func alignBetween(old, new []string, oldAt, newAt int, pairs *[]pair) {
	for len(old) > 0 && len(new) > 0 && old[0] == new[0] {
		*pairs = append(*pairs, pair{oldAt, newAt})
		old, new, oldAt, newAt = old[1:], new[1:], oldAt+1, newAt+1
	}
	same := 0
	for same < min(len(old), len(new)) && old[len(old)-1-same] == new[len(new)-1-same] {
		same++
	}
	old, new = old[:len(old)-same], new[:len(new)-same]
	if len(old) > 0 && len(new) > 0 {
		anchors := uniquePairs(old, new)
		if len(anchors) == 0 {
			for _, p := range commonSubsequence(old, new) {
				*pairs = append(*pairs, pair{oldAt + p.old, newAt + p.new})
			}
		} else {
			done := pair{}
			for _, p := range append(anchors, pair{len(old), len(new)}) {
				alignBetween(old[done.old:p.old], new[done.new:p.new], oldAt+done.old, newAt+done.new, pairs)
				if p.old < len(old) {
					*pairs = append(*pairs, pair{oldAt + p.old, newAt + p.new})
				}
				done = pair{p.old + 1, p.new + 1}
			}
		}
	}
	for i := range same {
		*pairs = append(*pairs, pair{oldAt + len(old) + i, newAt + len(new) + i})
	}
}

// uniquePairs pairs the lines that occur once on either side, and keeps as many as are in the same order on both.
func uniquePairs(old, new []string) []pair {
	type seen struct{ old, new, oldAt, newAt int }
	lines := map[string]*seen{}
	for i, text := range old {
		if lines[text] == nil {
			lines[text] = &seen{}
		}
		lines[text].old++
		lines[text].oldAt = i
	}
	for i, text := range new {
		if s := lines[text]; s != nil {
			s.new++
			s.newAt = i
		}
	}
	var candidates []pair
	for i, text := range old {
		if s := lines[text]; s.old == 1 && s.new == 1 {
			candidates = append(candidates, pair{i, s.newAt})
		}
	}
	return longestIncreasing(candidates)
}

// longestIncreasing returns the longest subsequence of pairs, which are sorted by their old index, in which the new
// index increases too, by patience sorting.
func longestIncreasing(pairs []pair) []pair {
	var tops, below []int // the top pair of each pile, and for each pair the top of the pile to its left
	for i, p := range pairs {
		at, _ := slices.BinarySearchFunc(tops, p.new, func(top, new int) int { return pairs[top].new - new })
		left := -1
		if at > 0 {
			left = tops[at-1]
		}
		below = append(below, left)
		if at == len(tops) {
			tops = append(tops, i)
		} else {
			tops[at] = i
		}
	}
	if len(tops) == 0 {
		return nil
	}
	longest := make([]pair, len(tops))
	for at, i := len(tops)-1, tops[len(tops)-1]; at >= 0; at, i = at-1, below[i] {
		longest[at] = pairs[i]
	}
	return longest
}

// commonSubsequence pairs the lines of a longest common subsequence, and none if that would take too large a table.
func commonSubsequence(old, new []string) []pair {
	if len(old) > maxTable/len(new) {
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
