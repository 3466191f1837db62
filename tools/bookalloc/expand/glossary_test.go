package expand

import (
	"slices"
	"testing"
)

const someTerms = `# Glossary

**heap**
: Memory of no call.

**allocs/op, B/op**
: How often, and how much.

**object**
: A piece of it.

**tiny object**
: A small one.

**size class**
: A fixed size.

**box**
: A copy.
`

func TestLinkTerms(t *testing.T) {
	for _, test := range []struct{ text, want string }{
		{"On the heap, and the heap.", "On the [heap](g#heap), and the heap."},
		{"Heaps, heaped, cheap.", "[Heaps](g#heap), heaped, cheap."},
		{"Two *boxes*.", "Two *[boxes](g#box)*."},
		{"B/op, then allocs/op; kB/op.", "[B/op](g#allocsop-bop), then allocs/op; kB/op."},
		{"A tiny object is an object.", "A [tiny object](g#tiny-object) is an [object](g#object)."},
		{"- Tiny objects.\n", "- [Tiny objects](g#tiny-object).\n"},
		{"- Its size\n  classes.\n", "- Its [size\n  classes](g#size-class).\n"},
		{"# The heap\n\nIts heap\n", "# The heap\n\nIts [heap](g#heap)\n"},
		{"`heap`, [a heap](x.md), <a href=\"x.html\">a heap</a>, ![heap](x.svg), heap",
			"`heap`, [a heap](x.md), <a href=\"x.html\">a heap</a>, ![heap](x.svg), [heap](g#heap)"},
		{"{{#figure heap/listings/box allocs}} of {{#clone \"}} a heap\" \"a box\"}} or heap",
			"{{#figure heap/listings/box allocs}} of {{#clone \"}} a heap\" \"a box\"}} or [heap](g#heap)"},
		{"| heap |\n|---|\n| box |\n\nA heap.\n", "| heap |\n|---|\n| box |\n\nA [heap](g#heap).\n"},
		{"```text\nheap\n```\n\n    a heap\n\nNone.\n", "```text\nheap\n```\n\n    a heap\n\nNone.\n"},
		{"<details><summary>Heap</summary>\n\nThe heap.\n\n</details>\n\nOn the heap.\n",
			"<details><summary>Heap</summary>\n\nThe heap.\n\n</details>\n\nOn the [heap](g#heap).\n"},
	} {
		got, _ := Parse(test.text).linkFirst(Parse(someTerms).terms(), "g")
		if got != test.want {
			t.Errorf("input %q\n  got  %q\n  want %q", test.text, got, test.want)
		}
	}
}

// TestLinkOnce tests that only the first of the pages links to an entry, and not the glossary itself.
func TestLinkOnce(t *testing.T) {
	b := &Book{Pages: []Page{{"one/README.md", "A heap."}, {GlossaryFile, someTerms}, {"two.md", "A box on the heap."}}}
	want := []string{"A [heap](../glossary.html#heap).", someTerms, "A [box](glossary.html#box) on the heap."}
	if got := b.linkTerms(); !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}
