package lsp

import (
	"math/rand/v2"
	"path/filepath"
	"runtime"
	"slices"
	"testing"

	"onthestack/internal/owncode/suggest"
)

// TestApply applies changes as editors send them, with positions in UTF-16 code units.
func TestApply(t *testing.T) {
	at := func(line, from, to int) *span { return &span{position{line, from}, position{line, to}} }
	for _, c := range []struct {
		name, text string
		changes    []change
		want       string
	}{
		{"all of it", "old", []change{{nil, "new"}}, "new"},
		{"one after the other", "ab\ncd\n", []change{{at(0, 1, 2), "x\ny"}, {at(1, 0, 1), ""}}, "ax\n\ncd\n"},
		{"beyond the basic plane", "s := \"𝄞ä!\"\n", []change{{at(0, 8, 9), "o"}}, "s := \"𝄞o!\"\n"},
		{"behind the line's end", "a\r\nb", []change{{at(0, 9, 99), "!"}}, "a!\r\nb"},
		{"behind the last line", "a\n", []change{{at(7, 0, 0), "b\n"}}, "a\nb\n"},
		{"not UTF-8", "a\xffb\n", []change{{at(0, 1, 2), ""}}, "ab\n"},
	} {
		if got, err := apply([]byte(c.text), c.changes); err != nil || string(got) != c.want {
			t.Errorf("%s: %q, %v; want %q", c.name, got, err, c.want)
		}
	}
	for _, r := range []*span{at(0, 2, 1), at(-1, 0, 0), at(0, -1, 0)} {
		if got, err := apply([]byte("abc"), []change{{r, "x"}}); err == nil {
			t.Errorf("%v: %q, want an error", *r, got)
		}
	}
}

// TestLineAfter says where lines go, and TestEditsOf's edits make the same text.
func TestLineAfter(t *testing.T) {
	const old = "a\nb\nc\nd\n"
	for _, c := range []struct {
		name, new string
		want      []int // of lines 1 to 4
	}{
		{"nothing", old, []int{1, 2, 3, 4}},
		{"a line before", "x\na\nb\nc\nd\n", []int{2, 3, 4, 5}},
		{"two lines inside", "a\nb\nx\ny\nc\nd\n", []int{1, 2, 5, 6}},
		{"one deleted", "a\nc\nd\n", []int{1, 0, 2, 3}},
		{"one changed", "a\nB\nc\nd\n", []int{1, 2, 3, 4}},
		{"one changed into two", "a\nB\nB\nc\nd\n", []int{1, 2, 4, 5}},
		{"all deleted", "", []int{0, 0, 0, 0}},
		{"no newline", "a\nb\nc\nd", []int{1, 2, 3, 4}},
	} {
		changed := suggest.Changes("", []byte(old), []byte(c.new))
		var got []int
		for line := 1; line <= 4; line++ {
			got = append(got, lineAfter(changed, line))
		}
		if !slices.Equal(got, c.want) {
			t.Errorf("%s: %v, want %v", c.name, got, c.want)
		}
		edits := editsOf([]byte(old), []byte(c.new))
		slices.Reverse(edits) // as a client sends them: each position refers to the text before all edits
		var changes []change
		for _, e := range edits {
			changes = append(changes, change{&e.Range, e.NewText})
		}
		if text, err := apply([]byte(old), changes); err != nil || string(text) != c.new {
			t.Errorf("%s: the edits make %q, %v", c.name, text, err)
		}
	}
}

// TestEditsOfDrawnTexts makes a text of another one by edits, for texts that share lines.
func TestEditsOfDrawnTexts(t *testing.T) {
	draw := func(r *rand.Rand) (text []byte) {
		for range r.IntN(12) {
			text = append(text, "abcd- +\n\\@"[r.IntN(10)], '\n')
		}
		return text[:max(0, len(text)-r.IntN(2))]
	}
	for seed := range uint64(2000) {
		r := rand.New(rand.NewPCG(seed, 0))
		old, new := draw(r), draw(r)
		edits := editsOf(old, new)
		slices.Reverse(edits)
		var changes []change
		for _, e := range edits {
			changes = append(changes, change{&e.Range, e.NewText})
		}
		if got, err := apply(old, changes); err != nil || string(got) != string(new) {
			t.Fatalf("seed %d: %q becomes %q, %v; want %q", seed, old, got, err, new)
		}
		changed := suggest.Changes("", old, new)
		seen := map[int]bool{}
		for line := 1; line <= len(splitLines(old)); line++ {
			to := lineAfter(changed, line)
			if to != 0 && seen[to] {
				t.Fatalf("seed %d: two lines of %q are line %d of %q", seed, old, to, new)
			}
			seen[to] = true
		}
	}
}

func TestURI(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("NOT TESTED: paths as on Unix. Paths of Windows begin with a drive")
	}
	for _, name := range []string{"/a/b.go", "/a b/ä#?%.go"} {
		if got, err := pathOf(uriOf(name)); err != nil || got != filepath.FromSlash(name) {
			t.Errorf("%s: %s is %q, %v", name, uriOf(name), got, err)
		}
	}
	for _, uri := range []string{"", "untitled:1", "http://host/a.go", "file:", "file:///a%00.go", "\x7f"} {
		if got, err := pathOf(uri); err == nil {
			t.Errorf("%q: %q", uri, got)
		}
	}
}
