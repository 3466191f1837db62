package wording_test

import (
	"testing"

	"onthestack/exercises/exercise17"
)

// BenchmarkText asks for a text with a key of 47 bytes. A slice of unknown size stays on the stack only up to 32 bytes.
func BenchmarkText(b *testing.B) {
	c := wording.New()
	c.Add("de", "settings", "confirm before a file is deleted", "Vor dem Löschen fragen")

	for b.Loop() {
		c.Text("de-AT", "Settings", "Confirm before a file is deleted")
	}
}
