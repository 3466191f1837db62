package compare

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"
)

func TestAlign(t *testing.T) {
	for _, test := range []struct{ old, new, want string }{
		{"", "", ""},
		{"a b c", "a b c", "a b c"},
		{"a b c", "a c", "a c"},
		{"a x a y a", "a y a", "a y a"},
		{"a b c d", "c d a b", "c d"}, // the longest in order, of two the last
		{"} a } b }", "} b } a }", "} b }"},
		{"x x x", "x x x x x", "x x x"},
	} {
		old, new := strings.Fields(test.old), strings.Fields(test.new)
		if got := aligned(t, old, new); len(got) != len(strings.Fields(test.want)) {
			t.Errorf("%s | %s: %v, want as many as %s", test.old, test.new, got, test.want)
		}
	}
}

// aligned aligns, and proves that equal lines are paired, in order.
func aligned(t *testing.T, old, new []string) (common []string) {
	t.Helper()
	last := Pair{-1, -1}
	for _, p := range Align(text(old), text(new)) {
		if p.Old <= last.Old || p.New <= last.New || old[p.Old] != new[p.New] {
			t.Fatalf("%v, then %v, in %q and %q", last, p, old, new)
		}
		common = append(common, old[p.Old])
		last = p
	}
	return common
}

func text(lines []string) (text []byte) {
	for _, l := range lines {
		text = append(text, l+"\n"...)
	}
	return text
}

// TestAlignRandom proves that all lines except the edited ones are paired, for texts that differ by some edits.
func TestAlignRandom(t *testing.T) {
	seed := uint64(time.Now().UnixNano())
	t.Logf("seed %d", seed)
	rng := rand.New(rand.NewPCG(seed, 1))
	for range 300 {
		var old []string
		for range rng.IntN(60) {
			old = append(old, fmt.Sprint(rng.IntN(1+rng.IntN(40))))
		}
		new := slices.Clone(old)
		edits := rng.IntN(4)
		for range edits {
			if at := rng.IntN(len(new) + 1); at < len(new) && rng.IntN(2) == 0 {
				new = slices.Delete(new, at, at+1)
			} else {
				new = slices.Insert(new, at, "new")
			}
		}
		common := aligned(t, old, new)
		if edits == 0 && len(common) != len(old) {
			t.Fatalf("%q: only %q", old, common)
		}
		aligned(t, old, shuffled(rng, old))
	}
}

func shuffled(rng *rand.Rand, list []string) []string {
	list = slices.Clone(list)
	rng.Shuffle(len(list), func(i, j int) { list[i], list[j] = list[j], list[i] })
	return list
}

// TestAlignLarge proves that aligning gives up soon on texts without an order in common, and on texts with few
// different lines.
func TestAlignLarge(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 1))
	var old []string
	for range 200_000 {
		old = append(old, fmt.Sprint(rng.IntN(3)))
	}
	aligned(t, old, shuffled(rng, old))
	for i := range old {
		old[i] = fmt.Sprint(i)
	}
	aligned(t, old, shuffled(rng, old))
}
