package heapprofile_test

import (
	"bytes"
	"testing"
	"time"

	"github.com/google/pprof/profile"

	"onthestack/internal/owncode/heapprofile"
	"onthestack/internal/owncode/userpkg"
	"onthestack/internal/schematest"
)

// TestCollections tests how often the collector runs: with a live heap above and below half of the least target of 4 MiB,
// and for profiles that do not tell.
func TestCollections(t *testing.T) {
	const mb = 1 << 20
	// Allocated 64 MiB, in use so many bytes.
	inUse := func(bytes int64) *profile.Profile {
		return made(heapTypes, []int64{64, 64 * mb, 1, bytes})
	}
	recorded := inUse(8 * mb)
	recorded.DurationNanos = int64(30 * time.Second)
	per := &heapprofile.Per{Unit: "requests", N: 1000}
	for name, test := range map[string]struct {
		data    *profile.Profile
		options heapprofile.Options
		want    *heapprofile.Collections
	}{
		"in total": {inUse(8 * mb), heapprofile.Options{},
			&heapprofile.Collections{GOGC: 100, LiveBytes: 8 * mb, EveryBytes: 8 * mb}},
		"per request": {inUse(8 * mb), heapprofile.Options{Per: per},
			&heapprofile.Collections{GOGC: 100, LiveBytes: 8 * mb, EveryBytes: 8 * mb, PerUnit: 0.008}},
		"a small heap": {inUse(mb), heapprofile.Options{},
			&heapprofile.Collections{GOGC: 100, LiveBytes: mb, EveryBytes: 3 * mb}},
		"what is in use":  {inUse(8 * mb), heapprofile.Options{InUse: true}, nil},
		"nothing in use":  {inUse(0), heapprofile.Options{}, nil},
		"of a duration":   {recorded, heapprofile.Options{}, nil},
		"less in use now": {inUse(-1), heapprofile.Options{}, nil},
		"only allocated":  {made(heapTypes[:2], []int64{64, 64 * mb}), heapprofile.Options{}, nil},
	} {
		t.Run(name, func(t *testing.T) {
			p, err := heapprofile.Read(bytes.NewReader(encode(t, test.data)))
			if err != nil {
				t.Fatal(err)
			}
			test.options.Config = userpkg.Config{Dir: module(t)}
			r := explain(t, p, test.options)
			schematest.Check(t, "schema.json", r)
			switch got := r.Collections; {
			case (got == nil) != (test.want == nil):
				t.Errorf("%+v, want %+v", got, test.want)
			case got != nil && *got != *test.want:
				t.Errorf("%+v, want %+v", *got, *test.want)
			}
		})
	}
}
