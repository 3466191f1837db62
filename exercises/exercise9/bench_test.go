package depot_test

import (
	"testing"

	"onthestack/exercises/exercise9"
)

// noted keeps the latest Scan, as the depot does.
var noted *depot.Scan

func BenchmarkNote(b *testing.B) {
	event := depot.Event{Parcel: 4_006_381_333_931, Grams: 1250, Millis: 1_700_000_000_000, Depot: "Aalen",
		Sector: 12, Cents: 4999, Belt: 3}

	for b.Loop() {
		noted = depot.Note(event)
	}
}
