// Command unknown-size checks card numbers, whose length is known when the program runs.
package main

import (
	"fmt"
	"testing"
)

// ANCHOR: valid

// valid reports whether the last digit of a card number fits the others.
func valid(card string) bool {
	digits := make([]byte, len(card))
	for i := range digits {
		digits[i] = card[i] - '0'
	}

	sum := 0
	for i := range digits {
		d := int(digits[len(digits)-1-i])
		if i%2 == 1 {
			if d *= 2; d > 9 {
				d -= 9
			}
		}
		sum += d
	}
	return sum%10 == 0
}

func main() {
	for _, card := range []string{"4539578763621486", "4539578763621487"} {
		card := card
		allocs := testing.AllocsPerRun(1000, func() { valid(card) })
		fmt.Println(card, valid(card), allocs, "allocs")
	}
}

// ANCHOR_END: valid
