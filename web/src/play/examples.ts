// The editor's own examples.

import type { Example } from "../go/play.ts";

const hello = `package main

import "fmt"

func main() {
	fmt.Println("Hello, stack and heap")
}
`;

const tests = `package main

import (
	"strings"
	"testing"
)

// A program without func main is tested. Its benchmarks say what an operation allocates.

func join(words []string) string {
	all := ""
	for _, word := range words {
		all += word
	}
	return all
}

var words = strings.Fields("which line allocates and why")

func TestJoin(t *testing.T) {
	if got, want := join(words), "whichlineallocatesandwhy"; got != want {
		t.Errorf("join(%q) = %q, want %q", words, got, want)
	}
}

func BenchmarkJoin(b *testing.B) {
	b.ReportAllocs()
	for b.Loop() {
		join(words)
	}
}

func BenchmarkStringsJoin(b *testing.B) {
	b.ReportAllocs()
	for b.Loop() {
		strings.Join(words, "")
	}
}
`;

const files = `package main

import (
	"fmt"

	"play/shape"
)

// A line "-- name --" begins another file.

func main() {
	for _, s := range []shape.Shape{shape.Square(3), shape.Circle(1)} {
		fmt.Printf("%T has an area of %.2f\\n", s, s.Area())
	}
}
-- go.mod --
module play

go 1.26
-- shape/shape.go --
// Package shape has figures that know their area.
package shape

import "math"

type Shape interface{ Area() float64 }

type Square float64

func (s Square) Area() float64 { return float64(s * s) }

type Circle float64

func (c Circle) Area() float64 { return math.Pi * float64(c*c) }
`;

const time = `package main

import (
	"fmt"
	"strings"
	"time"
)

// The clock begins at 2009-11-10 23:00:00 UTC, and sleeping costs no time: the page waits when it shows the output.

func main() {
	const width = 24
	for i := range width + 1 {
		// A form feed clears the screen.
		fmt.Printf("\\f%s\\n[%s%s]", time.Now().Format(time.TimeOnly), strings.Repeat("#", i), strings.Repeat(" ", width-i))
		time.Sleep(100 * time.Millisecond)
	}
	fmt.Println("\\nDone.")
}
`;

export const HELLO: Example = { title: "Hello", text: hello };

export const EXAMPLES: readonly Example[] = [
  HELLO,
  { title: "Tests and benchmarks", text: tests },
  { title: "Several files", text: files },
  { title: "Sleep and clear", text: time },
];
