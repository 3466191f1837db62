// Command error-made looks for a card and returns an error if nobody has it.
package main

import (
	"errors"
	"fmt"
	"testing"
)

var owners = map[string]string{"card 88": "Ada", "card 12": "Grace"}

// ANCHOR: errorf
var errUnknown = errors.New("unknown card")

func ownerErrorf(card string) (string, error) {
	name, ok := owners[card]
	if !ok {
		return "", fmt.Errorf("card %q: %w", card, errUnknown)
	}
	return name, nil
}

// ANCHOR_END: errorf

// ANCHOR: constant
func ownerConstant(card string) (string, error) {
	name, ok := owners[card]
	if !ok {
		return "", errUnknown
	}
	return name, nil
}

// ANCHOR_END: constant

// ANCHOR: ok
func ownerOK(card string) (string, bool) {
	name, ok := owners[card]
	return name, ok
}

// ANCHOR_END: ok

var (
	card  = "card 47"
	err   error
	known bool
)

func main() {
	fmt.Println("Errorf:  ", testing.AllocsPerRun(1000, func() { _, err = ownerErrorf(card) }), "allocs")
	fmt.Println("constant:", testing.AllocsPerRun(1000, func() { _, err = ownerConstant(card) }), "allocs")
	fmt.Println("ok:      ", testing.AllocsPerRun(1000, func() { _, known = ownerOK(card) }), "allocs")
}
