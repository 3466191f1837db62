package heapprofile

import (
	"fmt"
	"hash/maphash"
	"math"
	"slices"

	"github.com/google/pprof/profile"
)

// An entry is a sample of a profile: the objects of one size that were allocated with one stack, or one that was
// subtracted from it.
type entry struct {
	locations []*profile.Location
	objects   float64
	bytes     float64
	size      int64 // of an object, 0 if it is not known
	sampled   Estimate
}

// An Estimate says how sure figures are that were scaled from samples: how many there were, and the variances of the
// figures. It is of totals, not of figures per unit.
type Estimate struct{ Samples, Objects, Bytes float64 }

// Add adds the estimate of other figures, whose samples are independent.
func (e *Estimate) Add(other Estimate) {
	e.Samples += other.Samples
	e.Objects += other.Objects
	e.Bytes += other.Bytes
}

// DefaultRate is runtime.MemProfileRate of a program that does not change it.
const DefaultRate = 512 << 10

// newEstimate returns the estimate of objects of one size that a profile with a rate has. An object of s bytes is sampled
// with the probability p = 1-exp(-s/rate), so that k samples stand for k/p objects, with a variance of k(1-p)/p².
func newEstimate(objects float64, size, rate int64) Estimate {
	objects = math.Abs(objects)
	if rate == 1 {
		return Estimate{Samples: objects}
	}
	if size <= 0 {
		return Estimate{}
	}
	if rate <= 0 {
		rate = DefaultRate
	}
	p := -math.Expm1(-float64(size) / float64(rate))
	k := math.Round(objects * p)
	variance := k * (1 - p) / (p * p)
	return Estimate{k, variance, variance * float64(size) * float64(size)}
}

// Margins returns how far a line's objects and bytes may be from the truth, both in 19 of 20 cases.
func (e Estimate) Margins(objects, bytes float64) (ofObjects, ofBytes float64) {
	return margin(objects, e.Objects), margin(bytes, e.Bytes)
}

// margin returns the margin of a figure with a variance. The figure counts as much as so many equal samples; if these are
// few, the variance is itself uncertain, and the margin of a normal distribution too narrow. The factors are such that
// TestMargins finds both figures of 19 of 20 lines within their margins.
func margin(figure, variance float64) float64 {
	if variance == 0 {
		return 0
	}
	samples := max(1, figure*figure/variance)
	return 2.1 * math.Sqrt(variance*(1+4/samples))
}

// A Label selects samples by a label of theirs.
type Label struct{ Key, Value string }

// selects reports whether a sample has the labels.
func selects(labels []Label, s *profile.Sample) bool {
	return !slices.ContainsFunc(labels, func(l Label) bool { return !slices.Contains(s.Label[l.Key], l.Value) })
}

// entries returns the samples that have the labels, of what was allocated or is in use. The error is an InputError if the
// profile has no such figures.
func (p *Profile) entries(inUse bool, labels []Label) ([]entry, error) {
	objects, bytes := p.columns[allocObjects], p.columns[allocBytes]
	if inUse {
		objects, bytes = p.columns[inUseObjects], p.columns[inUseBytes]
	}
	switch {
	case bytes < 0 && inUse:
		return nil, inputErrorf("has only what was allocated, not what is in use: leave out --inuse")
	case bytes < 0:
		return nil, inputErrorf("has only what is in use, not what was allocated: add --inuse")
	}
	var entries []entry
	total := 0.0
	labeled := len(labels) == 0
	for _, s := range p.data.Sample {
		if !selects(labels, s) {
			continue
		}
		labeled = true
		e := entry{locations: s.Location, bytes: float64(s.Value[bytes])}
		if sizes := s.NumLabel["bytes"]; len(sizes) > 0 {
			e.size = max(0, sizes[0])
		}
		switch {
		case objects >= 0:
			e.objects = float64(s.Value[objects])
		case e.size > 0:
			e.objects = e.bytes / float64(e.size)
		}
		if e.bytes < 0 || e.objects < 0 {
			return nil, inputErrorf("has negative counts, so it is the difference of two profiles: explain takes both, the "+
				"later one with --profile and the earlier one with --base%s", orAllocated(inUse))
		}
		if total += e.bytes; e.bytes > maxValue || e.objects > maxValue || total > maxValue {
			return nil, inputErrorf("has counts that no program reaches: it is damaged")
		}
		if e.bytes == 0 && e.objects == 0 {
			continue
		}
		if e.size == 0 && e.objects > 0 {
			e.size = int64(math.Round(e.bytes / e.objects))
		}
		e.sampled = newEstimate(e.objects, e.size, p.Rate)
		entries = append(entries, e)
	}
	if !labeled {
		return nil, inputErrorf("has no samples with %s%s", labelText(labels), p.knownLabels(labels))
	}
	return entries, nil
}

func orAllocated(inUse bool) string {
	if inUse {
		return ", or leave out --inuse"
	}
	return ""
}

func labelText(labels []Label) (text string) {
	for i, l := range labels {
		if i > 0 {
			text += " and "
		}
		text += fmt.Sprintf("%s=%s", l.Key, l.Value)
	}
	return text
}

// knownLabels says which labels there are, or which values if the first key is known.
func (p *Profile) knownLabels(labels []Label) string {
	const most = 8
	var keys, values []string
	for _, s := range p.data.Sample {
		for key, set := range s.Label {
			keys = append(keys, key)
			if key == labels[0].Key {
				values = append(values, set...)
			}
		}
	}
	what, names := "label", keys
	if len(values) > 0 {
		what, names = "value of "+labels[0].Key, values
	}
	slices.Sort(names)
	if names = slices.Compact(names); len(names) == 0 {
		return ": it has no labels, which pprof.Do sets in CPU profiles and not in heap profiles"
	}
	return fmt.Sprintf("; a %s is %q", what, names[:min(most, len(names))])
}

// subtract returns the entries less the entries of a base. If both profiles are from one run of the program, the later
// one has all samples of the base, and the difference has the samples in between. Otherwise the samples of both make it
// uncertain.
func subtract(entries, base []entry, f *framer) []entry {
	type key struct {
		stack uint64
		size  int64
	}
	seed := maphash.MakeSeed()
	keyOf := func(e entry) key {
		var h maphash.Hash
		h.SetSeed(seed)
		for _, l := range e.locations {
			for _, frame := range f.at(l).frames {
				fmt.Fprintf(&h, "%s\n%s:%d\n", frame.function, frame.file, frame.line)
			}
		}
		return key{h.Sum64(), e.size}
	}
	merge := func(all []entry) (merged map[key]entry, order []key) {
		merged = map[key]entry{}
		for _, e := range all {
			k := keyOf(e)
			sum, known := merged[k]
			if !known {
				order = append(order, k)
				sum = entry{locations: e.locations, size: e.size}
			}
			sum.objects, sum.bytes = sum.objects+e.objects, sum.bytes+e.bytes
			sum.sampled.Add(e.sampled)
			merged[k] = sum
		}
		return merged, order
	}
	before, order := merge(base)
	after, all := merge(entries)
	later := true // each count is at least what it was
	for k, e := range before {
		later = later && after[k].sampled.Samples >= e.sampled.Samples-0.5
	}
	for _, k := range order {
		if _, known := after[k]; !known {
			all = append(all, k)
		}
	}
	var result []entry
	for _, k := range all {
		e, was := after[k], before[k]
		if e.locations == nil {
			e.locations, e.size = was.locations, was.size
		}
		e.objects, e.bytes = e.objects-was.objects, e.bytes-was.bytes
		if later {
			e.sampled.Samples -= was.sampled.Samples
			e.sampled.Objects = max(0, e.sampled.Objects-was.sampled.Objects)
			e.sampled.Bytes = max(0, e.sampled.Bytes-was.sampled.Bytes)
		} else {
			e.sampled.Add(was.sampled)
		}
		if e.objects != 0 || e.bytes != 0 {
			result = append(result, e)
		}
	}
	return result
}
