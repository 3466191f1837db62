package harbor_test

import (
	"strings"
	"testing"

	"onthestack/exercises/exercise36"
)

// BenchmarkParse reads a line of 4 KiB.
func BenchmarkParse(b *testing.B) {
	line := "Maria-Margaretha Southquay" + strings.Repeat(" left at 07:58, calm sea, 240 passengers", 100)
	for b.Loop() {
		harbor.Parse(line)
	}
}
