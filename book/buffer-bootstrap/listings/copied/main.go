// Command copied shows what becomes of a struct that points into itself when it is copied.
package main

import "fmt"

// ANCHOR: copied
type Buffer struct {
	text []byte
	room [64]byte
}

func (b *Buffer) Add(s string) {
	if b.text == nil {
		b.text = b.room[:0]
	}
	b.text = append(b.text, s...)
}

func main() {
	var tea Buffer
	tea.Add("Darjeeling ")

	twin := tea
	tea.Add("100 g")
	twin.Add("250 g")

	fmt.Printf("%s\n%s\n", tea.text, twin.text)
}

// ANCHOR_END: copied
