package setting_test

import (
	"testing"

	"onthestack/exercises/exercise29"
)

// BenchmarkDiffConfirmAll compares settings that differ in every value, which may be zero.
func BenchmarkDiffConfirmAll(b *testing.B) { diffs(b, allFields) }

// BenchmarkDiffConfirmSome compares settings that differ in some values.
func BenchmarkDiffConfirmSome(b *testing.B) { diffs(b, 0) }

// diffs compares two versions of settings in each operation, and applies the change. They
// differ at least where a bit of changed is set.
func diffs(b *testing.B, changed int) {
	r := newRand(b)
	from, to := make([]setting.Settings, 997), make([]setting.Settings, 997)
	for i := range from {
		from[i] = newSettings(r)
		to[i] = edited(r, from[i], changed|r.IntN(allFields+1))
	}
	i := 0
	for b.Loop() {
		at := i % len(from)
		if got := from[at].Apply(setting.Diff(from[at], to[at])); got != to[at] {
			b.Fatalf("wrong settings after a change\n  from: %+v\n  got:  %+v\n  want: %+v", from[at], got, to[at])
		}
		i++
	}
}
