// Package gains has a function for each edit that suggest proves for it.
package gains

import (
	"bytes"
	"fmt"
	"io"
	"strings"
)

// Names numbers names.
type Names map[string]int

// MapKey returns the number of a name, the next one for a new name.
func (n Names) MapKey(name []byte) int {
	key := string(name)
	if i, ok := n[key]; ok {
		return i
	}
	i := len(n)
	n[key] = i
	return i
}

// A Walker calls a function for each number that it has.
type Walker interface{ Walk(func(int)) }

// HoistFunc adds up what walkers have.
func HoistFunc(all []Walker) (sum int) {
	for _, w := range all {
		w.Walk(func(n int) { sum += n })
	}
	return sum
}

// HoistText counts the lines that begin with a prefix.
func HoistText(lines []string, prefix []byte) (n int) {
	for _, line := range lines {
		if strings.HasPrefix(line, string(prefix)) {
			n++
		}
	}
	return n
}

// HoistBytes writes lines.
func HoistBytes(w io.Writer, lines [][]byte) {
	for _, line := range lines {
		w.Write(line)
		w.Write([]byte("\r\n"))
	}
}

// Reuse counts the different numbers of each group.
func Reuse(groups [][]int) (n int) {
	for _, g := range groups {
		seen := map[int]bool{}
		for _, i := range g {
			seen[i] = true
		}
		n += len(seen)
	}
	return n
}

// Grow writes a header.
func Grow(name, value string) string {
	var b strings.Builder
	b.WriteString(name)
	b.WriteString(": ")
	b.WriteString(value)
	return b.String()
}

// Fprintf writes how many items there are.
func Fprintf(w io.Writer, n int) { w.Write([]byte(fmt.Sprintf("%d items\n", n))) }

// Perfsprint greets somebody.
func Perfsprint(name string) string { return fmt.Sprintf("hello, %s", name) }

// Mirror counts the bytes of names.
func Mirror(names [][]byte) int {
	var b strings.Builder
	b.Grow(100 * len(names))
	for _, name := range names {
		b.WriteString(string(name))
	}
	return b.Len()
}

// Concat writes a setting.
func Concat(name, value string) string { return fmt.Sprintf("%s=%s", name, value) }

// Cut returns the first field of a line.
func Cut(line string) string {
	field := strings.Split(line, ",")[0]
	return field
}

// Builder counts items.
func Builder(n int) string {
	var b bytes.Buffer
	fmt.Fprintf(&b, "%d items", n)
	return b.String()
}

// A step is a number on a path.
type step struct {
	last bool
	n    int
	next *step
	seen bool
}

// FieldOrder adds up the numbers below n, as a path of steps.
func FieldOrder(n int) (sum int) {
	var path *step
	for i := range n {
		path = &step{n: i, next: path, last: path == nil}
	}
	for ; path != nil && !path.seen; path = path.next {
		path.seen = true
		sum += path.n
	}
	return sum
}

// AppendMade makes room for n more numbers.
func AppendMade(numbers []int, n int) []int {
	more := make([]int, n)
	return append(numbers, more...)
}

// HexDigits writes bytes as a URL has them.
func HexDigits(data string) string {
	var b strings.Builder
	b.Grow(3 * len(data))
	for i := range len(data) {
		c := data[i]
		fmt.Fprintf(&b, "%%%02X", c)
	}
	return b.String()
}

// WriteConstant writes a header.
func WriteConstant(w io.Writer) { w.Write([]byte("HTTP/1.1 200 OK\r\n")) }

// JoinLoop lists names.
func JoinLoop(names []string) string {
	list := ""
	for _, name := range names {
		list += name + ","
	}
	return list
}
