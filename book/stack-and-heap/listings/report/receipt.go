// Package receipt writes a receipt: as it was first written, after a guess, and after a look at the profile.
package receipt

import (
	"fmt"
	"strconv"
)

// ANCHOR: first

// First returns a receipt with a line for each price.
func First(shop string, prices []int) string {
	text := fmt.Sprintf("%s, %d items\n", shop, len(prices))
	for _, cents := range prices {
		text += strconv.Itoa(cents) + "\n"
	}
	return text
}

// ANCHOR_END: first

// ANCHOR: guessed

// Guessed returns the same receipt, without fmt.
func Guessed(shop string, prices []int) string {
	text := shop + ", " + strconv.Itoa(len(prices)) + " items\n"
	for _, cents := range prices {
		text += strconv.Itoa(cents) + "\n"
	}
	return text
}

// ANCHOR_END: guessed

// ANCHOR: found

// Found returns the same receipt, written into one slice.
func Found(shop string, prices []int) string {
	text := fmt.Appendf(nil, "%s, %d items\n", shop, len(prices))
	for _, cents := range prices {
		text = strconv.AppendInt(text, int64(cents), 10)
		text = append(text, '\n')
	}
	return string(text)
}

// ANCHOR_END: found
