// Command forms shows which assignments the compiler sees as self-assignments.
package main

import (
	"fmt"
	"testing"
)

// ANCHOR: forms
type line struct {
	text, spare []byte
	room        *[64]byte
	in          struct{ text []byte }
}

func (l *line) shorten()  { l.text = l.text[1:] }
func (l *line) restart()  { l.text = l.room[:0] }
func (l *line) exchange() { l.text, l.spare = l.spare, l.text }

func (l *line) variable() { t := l.text; l.text = t[1:] }
func (l *line) call()     { l.text = rest(l.text) }
func (l *line) append()   { l.text = append(l.text, '!') }
func (l *line) twice()    { l.text = l.text[1:][1:] }
func (l *line) deeper()   { l.in.text = l.in.text[1:] }

func rest(text []byte) []byte { return text[1:] }

// ANCHOR_END: forms

// ANCHOR: main

// newLine returns a line of nine bytes in an array of its own.
func newLine() line {
	room := new([64]byte)
	l := line{text: room[:9], room: room}
	l.in.text = l.text
	return l
}

func main() {
	fmt.Println("l.text = l.text[1:]               ", allocs(func() { l := newLine(); l.shorten() }))
	fmt.Println("l.text = l.room[:0]               ", allocs(func() { l := newLine(); l.restart() }))
	fmt.Println("l.text, l.spare = l.spare, l.text ", allocs(func() { l := newLine(); l.exchange() }))
	fmt.Println("t := l.text; l.text = t[1:]       ", allocs(func() { l := newLine(); l.variable() }))
	fmt.Println("l.text = rest(l.text)             ", allocs(func() { l := newLine(); l.call() }))
	fmt.Println("l.text = append(l.text, '!')      ", allocs(func() { l := newLine(); l.append() }))
	fmt.Println("l.text = l.text[1:][1:]           ", allocs(func() { l := newLine(); l.twice() }))
	fmt.Println("l.in.text = l.in.text[1:]         ", allocs(func() { l := newLine(); l.deeper() }))
}

func allocs(use func()) float64 { return testing.AllocsPerRun(1000, use) }

// ANCHOR_END: main
