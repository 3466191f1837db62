package compare

import (
	"bytes"
	"slices"

	"github.com/bluekeyes/go-gitdiff/gitdiff"
	"github.com/rogpeppe/go-internal/diff"
)

// A Pair is a line of an old text and the equal line of a new one, by index.
type Pair struct{ Old, New int }

// Align pairs equal lines of two texts in order.
func Align(old, new []byte) (pairs []Pair) {
	files, _, _ := gitdiff.Parse(bytes.NewReader(diff.Diff("old", old, "new", new))) // what diff writes can be parsed
	var at Pair
	equal := func(lines int) {
		for range lines {
			pairs = append(pairs, at)
			at = Pair{at.Old + 1, at.New + 1}
		}
	}
	for _, file := range files {
		for _, hunk := range file.TextFragments {
			equal(int(hunk.OldPosition) - 1 - at.Old)
			for _, l := range hunk.Lines {
				switch l.Op {
				case gitdiff.OpContext:
					equal(1)
				case gitdiff.OpDelete:
					at.Old++
				case gitdiff.OpAdd:
					at.New++
				}
			}
		}
	}
	equal(len(slices.Collect(bytes.Lines(old))) - at.Old)
	return pairs
}
