package heapdiff

import (
	"math"

	"onthestack/internal/owncode/heapprofile"
)

const (
	// falseAlarms is the number of comparisons of a program with itself, at most, of which one finds a change.
	falseAlarms = 1000
	// minSamples is the number of samples of both sides together below which a line cannot be told from noise, even if
	// all are on one side.
	minSamples = 2 * heapprofile.FewSamples
	// minChange is the number of samples by which the new side has to have more or fewer than its share. Where all objects
	// are recorded, a few more may only be that a buffer grew once more.
	minChange = heapprofile.FewSamples / 2
	// A change counts if it is at least this part of the line's own figure, and this part of the whole. The samples of a
	// service that runs for months are so many that its load alone makes smaller differences certain.
	partOfLine  = 0.01
	partOfWhole = 0.001
	// manyMore is the ratio of units from which on it is looked for lines that run once.
	manyMore = 1.5
)

// A sum is the totals of lines on one side.
type sum struct {
	objects, bytes float64
	sampled        heapprofile.Estimate
}

func (s *sum) add(o sum) {
	s.objects, s.bytes = s.objects+o.objects, s.bytes+o.bytes
	s.sampled.Add(o.sampled)
}

func (s sum) zero() bool { return s.objects == 0 && s.bytes == 0 }

// A test decides which differences count.
type test struct {
	units [2]float64 // old and new
	exact bool       // every allocation was recorded
	// whole has the larger of both sides' figures per unit.
	wholeObjects, wholeBytes float64
	tests                    int // comparisons of two figures
}

func newTest(old, new Side) *test {
	t := &test{units: [2]float64{1, 1}, exact: old.Report.Rate == 1, tests: 2} // of the whole
	for i, s := range []Side{old, new} {
		if s.Per != nil {
			t.units[i] = s.Per.N
		}
		t.wholeObjects = max(t.wholeObjects, s.Report.Objects/t.units[i])
		t.wholeBytes = max(t.wholeBytes, s.Report.Bytes/t.units[i])
	}
	return t
}

// few reports whether there are too few samples to tell a change from noise. The choice of lines by the samples of both
// sides together does not favor lines that seem changed.
func (t *test) few(old, new sum) bool {
	return !t.exact && old.sampled.Samples+new.sampled.Samples < minSamples
}

// count counts the tests of a line. The more lines are tested, the more certain each change has to be.
func (t *test) count(old, new sum) {
	if !t.few(old, new) {
		t.tests += 2
	}
}

// figures returns the figures of a line per unit, and whether they changed.
func (t *test) figures(old, new sum) (objects, bytes Figure) {
	objects = Figure{Old: old.objects / t.units[0], New: new.objects / t.units[1]}
	bytes = Figure{Old: old.bytes / t.units[0], New: new.bytes / t.units[1]}
	was, wasBytes := old.sampled.Margins(old.objects, old.bytes)
	is, isBytes := new.sampled.Margins(new.objects, new.bytes)
	objects.Margin = math.Hypot(was/t.units[0], is/t.units[1])
	bytes.Margin = math.Hypot(wasBytes/t.units[0], isBytes/t.units[1])
	if t.few(old, new) {
		return objects, bytes
	}
	inObjects, inBytes := t.significant(old, new, t.units)
	objects.Changed = inObjects && math.Abs(objects.New-objects.Old) >= partOfWhole*t.wholeObjects
	bytes.Changed = inBytes && math.Abs(bytes.New-bytes.Old) >= partOfWhole*t.wholeBytes
	return objects, bytes
}

// once reports whether a line allocates the same in both profiles, although these have different numbers of units.
func (t *test) once(old, new sum) bool {
	if ratio := t.units[0] / t.units[1]; ratio < manyMore && ratio > 1/manyMore {
		return false
	}
	objects, bytes := t.significant(old, new, [2]float64{1, 1})
	return !objects && !bytes
}

// significant reports whether the objects and the bytes differ by more than chance explains, if they are in proportion to
// units.
func (t *test) significant(old, new sum, units [2]float64) (objects, bytes bool) {
	samples := old.sampled.Samples + new.sampled.Samples
	objects = t.unlikely(old.objects, new.objects, old.sampled.Objects+new.sampled.Objects, samples, units)
	bytes = t.unlikely(old.bytes, new.bytes, old.sampled.Bytes+new.sampled.Bytes, samples, units)
	return objects, bytes
}

// unlikely reports whether chance hardly explains by how much the totals differ, if they are in proportion to units.
// The variance is the variance of their sum.
//
// If nothing changed, each sample is on the new side with the probability q = units[1]/(units[0]+units[1]), and the
// number k of n samples that are there has a binomial distribution. Samples stand for different figures, so n is the
// number of equal samples that have the same sum and variance, which is no integer. Chernoff's bound, exp(-n*D) with D
// the divergence of k/n from q (Kullback and Leibler), is above the probability of k or more extreme ones, also where n
// is small and a normal distribution would not do. It is about ten times the probability itself where it matters, which
// leaves room for the variance being an estimate.
func (t *test) unlikely(old, new, variance, samples float64, units [2]float64) bool {
	total, was, is := old+new, old/units[0], new/units[1]
	if old < 0 || new < 0 || math.Abs(is-was) <= partOfLine*max(is, was) {
		return false
	}
	part, q := new/total, units[1]/(units[0]+units[1])
	switch {
	case math.Abs(part-q)*samples < minChange:
		return false
	case variance == 0:
		return true
	}
	n := total * total / variance
	const sides = 2
	return n*divergence(part, q) > math.Log(sides*falseAlarms*float64(t.tests))
}

// divergence returns the Kullback-Leibler divergence of a probability from another one, in nats.
func divergence(p, q float64) (d float64) {
	if p > 0 {
		d += p * math.Log(p/q)
	}
	if p < 1 {
		d += (1 - p) * math.Log((1-p)/(1-q))
	}
	return d
}
