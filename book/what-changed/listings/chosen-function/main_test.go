package main

import "testing"

// What it allocates is the release's affair: see listing.toml.
func TestPrice(t *testing.T) {
	for _, test := range []struct{ pieces, cents, want int }{{3, 250, 750}, {99, 1, 99}, {100, 1, 90}, {200, 250, 45000}} {
		if got := price(test.pieces, test.cents); got != test.want {
			t.Errorf("price(%d, %d) = %d, want %d", test.pieces, test.cents, got, test.want)
		}
	}
}
