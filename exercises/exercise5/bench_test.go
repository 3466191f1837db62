package mail_test

import (
	"strconv"
	"testing"

	"onthestack/exercises/exercise5"
)

// BenchmarkUnique is a list of 60 addresses, of which 30 are different.
func BenchmarkUnique(b *testing.B) {
	addresses := make([]string, 60)
	for i := range addresses {
		addresses[i] = "reader " + strconv.Itoa(i%30) + "@example.org"
	}
	list := make([]string, len(addresses))
	var m mail.Mailer
	m.Unique(list[:copy(list, addresses)]) // the set grows
	for b.Loop() {
		m.Unique(list[:copy(list, addresses)])
	}
}
