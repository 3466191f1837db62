package step_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// pageProgram has an object of each kind that pages draw. The tests of pages draw its document.
const pageProgram = `package main

import "fmt"

type point struct {
	x, y int
	next *point
}

func sum(a, b int) int {
	c := a + b
	return c
}

//go:noinline
func chain(n int) *point {
	var first *point
	for i := range n {
		first = &point{i, sum(i, 1), first}
	}
	return first
}

func main() {
	p := chain(2)
	numbers := make([]int, 0, 1)
	for i := range 2 {
		numbers = append(numbers, i)
	}
	ages := map[string]int{"Ada": 36}
	var value any = p.y
	count := 0
	add := func(n int) { count += n }
	add(len(numbers))
	p = nil
	fmt.Println(value, ages["Ada"], count, p == nil)
}
`

// TestPageDocument compares the document that the tests of pages draw with testdata/document.json; -update writes it.
func TestPageDocument(t *testing.T) {
	d := steps(t, pageProgram)
	valid(t, d)
	got, err := json.Marshal(d)
	if err != nil {
		t.Fatal(err)
	}
	got = append(got, '\n')
	golden := filepath.Join("testdata", "document.json")
	if *update {
		if err := os.WriteFile(golden, got, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(golden)
	if err != nil {
		t.Fatal(err)
	}
	if string(got) != string(want) {
		t.Errorf("testdata/document.json is not the document: go test ./internal/step -run %s -update writes it",
			t.Name())
	}
}

// TestSentences tests the words of each step of a program.
func TestSentences(t *testing.T) {
	for _, c := range []struct{ name, code, want string }{
		{"the address of a variable is returned", `//go:noinline
func f() *int {
	x := 7
	return &x
}

func main() {
	p := f()
	*p = 8
	p = nil
	println(p)
}`, `Line 9: main is called.
Line 4: f is called.
Line 5: x of f is heap object 1, 16 B, because the variable x moves to the heap.
Line 6: f returns; result of f points to heap object 1, made on line 5.
Line 10: p of main points to heap object 1, made on line 5.
Line 11: heap object 1 is 8.
Line 12: p of main is nil; nothing leads to heap object 1 any more: it is garbage.
Line 13: it prints "0x0\n".
Line 13: main returns.
Line 13: the program ended.
`},
		{"an object that cannot be read for a while keeps its value", `type line struct{ n int }

func main() {
	c := make(chan *line, 1)
	l := &line{1}
	c <- l
	l = nil
	l = <-c
	l.n = 2
	println(l.n)
}`, `Line 5: main is called.
Line 6: c of main is a channel, length 0, capacity 1: the new heap object 1; heap object 1, chan *line, 112 B, made on line 6: a channel is always made on the heap; heap object 2, 8 B, made on line 6.
Line 7: l of main points to the new heap object 3; heap object 3, line, 16 B, made on line 7: the line moves to the heap.
Line 8: c of main is a channel, length 1, capacity 1: heap object 1, made on line 6; heap object 1 is [… 1 in all].
Line 9: l of main is nil.
Line 10: c of main is a channel, length 0, capacity 1: heap object 1, made on line 6; l of main points to heap object 3, made on line 7; heap object 1 is [].
Line 11: heap object 3 is {n: 2}.
Line 12: it prints "2\n".
Line 12: main returns.
Line 12: the program ended.
`},
		{"a call is inlined", `func twice(n int) int {
	m := 2 * n
	return m
}

func main() {
	a := twice(2)
	println(a)
}`, `Line 8: main is called.
Line 3: twice is called, inlined into its caller: it has no frame of its own; n of twice is 2.
Line 4: m of twice is 4.
Line 5: twice returns; result of twice is 4.
Line 9: a of main is 4.
Line 10: it prints "4\n".
Line 10: main returns.
Line 10: the program ended.
`},
	} {
		t.Run(c.name, func(t *testing.T) {
			var b strings.Builder
			for _, s := range steps(t, header+c.code).Steps {
				b.WriteString(s.Sentence + "\n")
			}
			if b.String() != c.want {
				t.Errorf("got\n%s\nwant\n%s", b.String(), c.want)
			}
		})
	}
}
