package heapprofile

import "math"

// Collections say how often the collector runs, as far as the profile tells.
//
// The Go GC guide (https://go.dev/doc/gc-guide) has the rule. The heap may grow by GOGC percent of the live heap and the
// roots until the next collection, and its target is never below 4 MiB at GOGC=100. The live heap is what the profile
// has in use: runtime.MemProfile reports it as of the last collection that was completed. The profile lacks the roots
// and the value of GOGC, and a memory limit (GOMEMLIMIT) makes collections more frequent, so that the figures are for
// GOGC=100, without a limit, and approximate.
type Collections struct {
	GOGC int `json:"gogc"`
	// LiveBytes is the live heap, and EveryBytes is how much is allocated from one collection to the next.
	LiveBytes  float64 `json:"live_bytes"`
	EveryBytes float64 `json:"every_bytes"`
	// PerUnit is the number of collections per unit, 0 if the figures are totals.
	PerUnit float64 `json:"per_unit,omitempty"`
}

// Of the collector, with the variable GOGC not set.
const (
	defaultGOGC = 100
	minHeap     = 4 << 20 // bytes, the least target
)

// collections returns how often the collector runs, nil if the profile does not have what is in use. The profile of a
// duration has only by how much that changed.
func (p *Profile) collections(allocated float64, per *Per) *Collections {
	column := p.columns[inUseBytes]
	if column < 0 || p.columns[allocBytes] < 0 || p.Duration > 0 {
		return nil
	}
	live := 0.0
	for _, s := range p.data.Sample {
		if s.Value[column] < 0 {
			return nil
		}
		live += float64(s.Value[column])
	}
	if live == 0 || live > maxValue {
		return nil
	}
	c := &Collections{GOGC: defaultGOGC, LiveBytes: live, EveryBytes: math.Max(live, minHeap-live)}
	if per != nil && allocated > 0 {
		c.PerUnit = allocated / c.EveryBytes
	}
	return c
}
