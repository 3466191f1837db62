// Command read-all reads everything from a reader that does not tell its length.
package main

import (
	"fmt"
	"io"
	"strings"
)

var text = strings.Repeat("0123456789", 1000)

// ANCHOR: all
func all() ([]byte, error) {
	return io.ReadAll(strings.NewReader(text))
}

// ANCHOR_END: all

func main() {
	b, err := all()
	fmt.Println(len(b), err)
}
