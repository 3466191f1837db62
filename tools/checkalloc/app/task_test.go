package app

import "testing"

func TestWrapTask(t *testing.T) {
	for _, test := range []struct{ name, task, want string }{
		{"one paragraph", "\na b c d\n", "a b c\nd"},
		{"two paragraphs", "a\n\nb\n", "a\n\nb"},
		{"a block keeps its lines", "a b c d:\n\n```text\n1 x y z\n2\n```\n\nb\n",
			"a b c\nd:\n\n    1 x y z\n    2\n\nb"},
		{"a block alone", "```go\nx\n```\n", "    x"},
		{"a block without an end", "a\n\n```go\nx\n", "a\n\n    x\n    "},
		{"nothing", "\n", ""},
	} {
		t.Run(test.name, func(t *testing.T) {
			if got := wrapTask(test.task, 6); got != test.want {
				t.Errorf("input %q\n  got  %q\n  want %q", test.task, got, test.want)
			}
		})
	}
}
