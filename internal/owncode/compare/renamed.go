package compare

import (
	"cmp"
	"slices"
)

// pairFunctions pairs functions of the same name. Then it pairs functions whose names only one side has, if their lines
// are the most similar.
func pairFunctions(before, after []*function) (pairs [][2]*function) {
	byName := map[string]*function{}
	for _, f := range after {
		byName[f.name] = f
	}
	var gone []*function
	for _, f := range before {
		if g := byName[f.name]; g != nil {
			pairs = append(pairs, [2]*function{f, g})
			delete(byName, f.name)
		} else {
			gone = append(gone, f)
		}
	}
	come := slices.DeleteFunc(slices.Clone(after), func(f *function) bool { return byName[f.name] == nil })
	return append(pairs, renamed(gone, come)...)
}

// maxFunctionsPerLine is the number of functions beyond which a line's text says nothing about which function it is
// from.
const maxFunctionsPerLine = 16

// renamed pairs functions by the lines that they have in common.
func renamed(gone, come []*function) (pairs [][2]*function) {
	isPart := func(f *function) bool { return !f.whole }
	whole := !slices.ContainsFunc(gone, isPart) && !slices.ContainsFunc(come, isPart)
	of := map[string][]int{} // the functions of come that have a text
	size := make([]int, len(come))
	for j, f := range come {
		texts := distinctiveTexts(f, whole)
		size[j] = len(texts)
		for text := range texts {
			if len(of[text]) <= maxFunctionsPerLine {
				of[text] = append(of[text], j)
			}
		}
	}
	type candidate struct {
		old, new int
		score    float64
	}
	var all []candidate
	for i, f := range gone {
		texts := distinctiveTexts(f, whole)
		common := map[int]int{}
		for text := range texts {
			if len(of[text]) <= maxFunctionsPerLine {
				for _, j := range of[text] {
					common[j]++
				}
			}
		}
		for j, n := range common {
			if score := 2 * float64(n) / float64(len(texts)+size[j]); score >= alike {
				all = append(all, candidate{i, j, score})
			}
		}
	}
	slices.SortFunc(all, func(a, b candidate) int {
		return cmp.Or(cmp.Compare(b.score, a.score), cmp.Compare(a.old, b.old), cmp.Compare(a.new, b.new))
	})
	usedOld, usedNew := map[int]bool{}, map[int]bool{}
	for _, c := range all {
		if !usedOld[c.old] && !usedNew[c.new] {
			usedOld[c.old], usedNew[c.new] = true, true
			pairs = append(pairs, [2]*function{gone[c.old], come[c.new]})
		}
	}
	return pairs
}

// distinctiveTexts returns the texts of a function's lines that have a word: of all lines if whole, otherwise of the
// lines that allocate.
func distinctiveTexts(f *function, whole bool) map[string]bool {
	lines := f.lines
	if !whole {
		lines = f.allocating()
	}
	set := map[string]bool{}
	for _, l := range lines {
		if len(l.words()) > 0 {
			set[l.text] = true
		}
	}
	return set
}
