package testmain

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"

	"onthestack/internal/harness/wire"
)

// A benchtime says how many operations of a benchmark to measure: that many, or as many as take that long. If both are
// 0, they grow until the figures are stable.
type benchtime struct {
	operations int
	time       time.Duration
}

// atLeast returns a benchtime whose time, which matters unless it names a number of operations, is at least d.
func (t benchtime) atLeast(d time.Duration) benchtime {
	t.time = max(t.time, d)
	return t
}

// parseBenchtime reads the value of -benchtime of "go test": "100x", "1s", or "" for none.
func parseBenchtime(text string) (benchtime, error) {
	if text == "" {
		return benchtime{}, nil
	}
	if count, ok := strings.CutSuffix(text, "x"); ok {
		n, err := strconv.Atoi(count)
		if err != nil || n < 1 || n > maxOperations {
			return benchtime{}, fmt.Errorf("%q: give a number of operations from 1 to %d", text, maxOperations)
		}
		return benchtime{operations: n}, nil
	}
	d, err := time.ParseDuration(text)
	if err == nil && d <= 0 {
		err = fmt.Errorf("%q: give a time longer than 0", text)
	}
	return benchtime{time: d}, err
}

// The limits of the runs that count a benchmark's allocations.
const (
	// firstOperations is how many operations the first run has, if they are short. It is a multiple of the number of
	// inputs for benchmarks that cycle through 40, 20, 10 or 8 of them.
	firstOperations = 40
	// maxFirstRun is the longest that the first run should take.
	maxFirstRun = 20 * time.Millisecond
	// settled is how long a run takes whose benchmark has probably filled its caches and grown its buffers. On a busy
	// machine fewer operations take as long, so a run of fewer than settledOperations has to take fewFactor times that.
	settled           = 3 * time.Millisecond
	settledOperations = 1024
	fewFactor         = 4
	// steadyTimeout is how long runs go on, beyond the first two, although the figures are not stable.
	steadyTimeout = time.Second
	// Over at most fewOperations operations, a single object that the runtime allocates by chance changes the figures.
	// They are then taken from runs that record, because such an object can be subtracted from these.
	fewOperations = 8
	// maxOperations bounds a run, and with it the int32 that reports have.
	maxOperations = 1 << 28
	// enoughOperations end the growth, however short an operation is.
	enoughOperations = 1 << 20
	// maxAllocated bounds the bytes that a run allocates, because garbage is not collected during a run.
	maxAllocated = 128 << 20
	// maxRecorded is roughly how many allocations of a run are recorded. Recording one takes 4 µs, and more with a deep
	// stack.
	maxRecorded = 200_000
	// longOperation takes so long that a second one is not waited for. The figures then include the work of the
	// benchmark before its loop.
	longOperation = 2 * time.Second
)

// A counted run is a run of n operations. It took wall in all, with its setup and what it does while its timer is
// stopped.
type counted struct {
	n    int
	wall time.Duration
	run
}

func (m *measurement) counted(n, rate int) counted {
	begin := time.Now()
	r := m.run(n, rate)
	return counted{n, time.Since(begin), r}
}

// A slope is what each operation allocates, by the difference between two runs. Allocations before the benchmark's
// loop, and allocations of only the first operations, are in both runs and cancel out.
type slope struct{ allocs, bytes float64 }

func between(few, many counted) slope {
	n := float64(many.n - few.n)
	return slope{(float64(many.allocs) - float64(few.allocs)) / n, (float64(many.bytes) - float64(few.bytes)) / n}
}

// agrees reports whether two slopes are the same except for rare or random allocations. Reports round to whole bytes,
// so slopes that differ by more than half a byte may be reported as different numbers.
func (s slope) agrees(t slope) bool {
	near := func(a, b, part, least float64) bool {
		return math.Abs(a-b) <= max(least, part*max(math.Abs(a), math.Abs(b)))
	}
	return near(s.allocs, t.allocs, 0.01, 0.005) && near(s.bytes, t.bytes, 0.02, 0.5)
}

// sharing returns what the operations allocate if tiny objects share blocks as in want, where s was measured with a
// block for each: each operation makes so many. That adds less than a block for each object to the bytes.
func (s slope) sharing(want slope, tiny float64) slope {
	s.bytes = min(s.bytes, max(want.bytes, s.bytes-(blockSize-1)*tiny))
	return s
}

// isWhole reports whether each operation allocates as often as every other.
func (s slope) isWhole() bool { return s.odd(1) < 0.0005 }

// odd returns by how many objects n operations differ from operations that allocate equally often.
func (s slope) odd(n int) float64 { return math.Abs(s.allocs-math.Round(s.allocs)) * float64(n) }

// fewObjects is the most odd objects of a run that may be there by chance.
const fewObjects = 16

// steady measures what the benchmark allocates per operation once it has filled its caches and grown its buffers, given
// how long a single operation took. The number of operations grows until the figures are stable.
//
// Allocations are counted over many operations and located over as few as allocate the same, since recording one takes
// long. All figures are slopes between two runs that begin in the same state, with every sync.Pool empty.
func (m *measurement) steady(name string, once time.Duration, t benchtime) (result wire.Benchmark, runs []counted) {
	m.userPackage = true
	begin := time.Now()
	if once < longOperation {
		runs = m.count(once, t, begin)
	}
	if m.failed || m.err != nil {
		return result, runs
	}
	if len(runs) < 2 { // even a second operation takes too long
		r := m.counted(1, locating)
		located, chance := m.last().splitChance()
		return wire.Benchmark{
			Name: name, N: 1, Profiled: 1, Apart: m.apart, Stacks: located.stacks(),
			NsPerOp:     float64(r.time.Nanoseconds()),
			AllocsPerOp: float64(int64(r.allocs) - chance.objects()),
			BytesPerOp:  float64(int64(r.bytes) - chance.bytes()),
		}, []counted{r}
	}
	few, many, want := m.withoutChance(runs[len(runs)-2], runs[len(runs)-1])
	var later wire.Later
	if first, second, ok := m.growing(once, t, runs); ok {
		later = wire.Later{N: many.n - few.n, AllocsPerOp: want.allocs, BytesPerOp: want.bytes}
		few, many, want = m.withoutChance(first, second)
		runs = []counted{few, many}
	}
	result = wire.Benchmark{Name: name, N: many.n - few.n, Profiled: many.n - few.n, Later: later,
		AllocsPerOp: max(0, want.allocs), BytesPerOp: max(0, want.bytes)}
	if few.used != many.used && !m.unlocated {
		m.locateSteady(&result, want, runs, begin)
	}
	return result, runs
}

// The runs that find out whether operations allocate more the more of them there are. They have fewer operations if
// these take long, and each has twice as many as the one before it.
var growthOperations = []int{25, 5, 1}

const (
	// maxGrowth bounds the time of these runs.
	maxGrowth = time.Second
	// growth is the minimum factor by which the figures grow when the number of operations doubles. The figures double
	// if each operation copies what earlier operations have made.
	growth = 1.5
)

// growing reports whether operations allocate more the more of them there are, in which case no number of them gives
// stable figures. It then returns two runs whose numbers of operations do not depend on the machine's speed. If the
// user asks for a number of operations, that number is measured in any case.
func (m *measurement) growing(once time.Duration, t benchtime, runs []counted) (few, many counted, ok bool) {
	last := len(runs) - 1
	slopes := []slope{between(runs[last-1], runs[last])}
	if t.operations > 0 || last > 1 && slopes[0].agrees(between(runs[last-2], runs[last-1])) {
		return few, many, false
	}
	for _, r := range runs {
		once = min(once, r.wall/time.Duration(r.n)) // on a busy machine, the single operation may have waited
	}
	n := 0
	for _, n = range growthOperations {
		if time.Duration(15*n)*once <= maxGrowth {
			break
		}
	}
	var short []counted
	for ; len(short) < 4; n *= 2 {
		short = append(short, m.counted(n, counting))
	}
	if runs[last-1].n < short[3].n {
		slopes = nil // these runs have no more operations
	}
	slopes = append([]slope{between(short[0], short[1]), between(short[1], short[2]), between(short[2], short[3])},
		slopes...)
	grows := func(figure func(slope) float64, least float64) bool {
		for i, s := range slopes[1:] {
			if figure(s) < max(growth*figure(slopes[i]), least) {
				return false
			}
		}
		return true
	}
	ok = grows(func(s slope) float64 { return s.bytes }, blockSize) || grows(func(s slope) float64 { return s.allocs }, 0.5)
	return short[2], short[3], ok && !m.failed && m.err == nil
}

// withoutChance returns two runs that only counted, and the slope between them, without what the runtime allocated by
// chance. Such objects are known by their stacks, but these runs record none, so runs that may have them are repeated.
func (m *measurement) withoutChance(few, many counted) (counted, counted, slope) {
	want := between(few, many)
	if odd := want.odd(many.n - few.n); odd > 0 && (m.unlocated || odd <= fewObjects) {
		few, many = m.least(few), m.least(many)
		want = between(few, many)
	}
	return few, many, want
}

// least runs the benchmark again with the operations of an earlier run, and returns that run with the smaller counts of
// the two: what the runtime allocates by chance only adds to them.
func (m *measurement) least(c counted) counted {
	c.used = c.used.min(m.counted(c.n, counting).used)
	return c
}

// count runs the benchmark with more and more operations. The last run has twice as many as the one before it.
func (m *measurement) count(once time.Duration, t benchtime, begin time.Time) (runs []counted) {
	if t.operations > 0 {
		return []counted{m.counted(t.operations, counting), m.counted(2*t.operations, counting)}
	}
	enough, wait := settled, steadyTimeout
	if t.time > 0 {
		enough, wait = t.time, max(wait, 10*t.time)
	}
	n := firstOperations
	for _, fewer := range []int{20, 10, 4, 2, 1} {
		if time.Duration(n)*once > maxFirstRun {
			n = fewer
		}
	}
	for doubled := 0; m.err == nil && !m.failed; {
		last := m.counted(n, counting)
		runs = append(runs, last)
		worked := last
		if len(runs) > 1 { // the benchmark's setup is part of each run
			worked.time -= runs[0].time
			worked.wall -= runs[0].wall
		}
		wanted := enough
		if n < settledOperations && t.time == 0 {
			wanted *= fewFactor
			if worked.time >= wanted && worked.wall < 10*wanted {
				// Another program may have had the processor meanwhile.
				worked.time -= max(0, last.time-m.counted(n, counting).time)
			}
		}
		over := time.Since(begin) > wait
		full := n >= maxOperations/2 || last.bytes > maxAllocated
		switch {
		case doubled > 0 && (over || full):
			return runs
		case len(runs) > 2 && worked.time < time.Duration(n)/10:
			return runs // too fast for any loop: the benchmark does not use b.N
		case worked.time < wanted && worked.wall < 10*wanted && n < enoughOperations && !full && !over:
			n, doubled = worked.grow(wanted), 0
			continue
		case doubled > 0 && len(runs) > 2:
			i := len(runs) - 3
			if between(runs[i], runs[i+1]).agrees(between(runs[i+1], runs[i+2])) {
				return runs
			}
		}
		n, doubled = 2*n, doubled+1
	}
	return runs
}

// grow returns a number of operations that take long enough, given a run: at most a hundred times as many, and at least
// twice. It is the run's own number times a power of two, so that another measurement is likely to have the same.
func (c counted) grow(enough time.Duration) int {
	n := float64(c.n)
	wanted := min(
		100*n,
		n*float64(enough)/float64(max(c.time, 1)),
		10*n*float64(enough)/float64(max(c.wall, 1)),
	)
	more := 2 * c.n
	for float64(more) < wanted && more < maxOperations/2 {
		more *= 2
	}
	return more
}

// locateSteady finds where the benchmark allocates what want counted, over the fewest operations that allocate the same
// each, and completes the result.
func (m *measurement) locateSteady(result *wire.Benchmark, want slope, runs []counted, begin time.Time) {
	last := result.N
	result.Apart = m.apart
	repeated := false
	for k := min(runs[0].n, last); ; {
		i := len(m.recorded)
		few, many := m.counted(k, locating), m.counted(2*k, locating)
		if m.failed || m.err != nil {
			return
		}
		located, chance := m.difference(i).splitChance()
		many.allocs -= uint64(chance.objects())
		many.bytes -= uint64(chance.bytes())
		got := between(few, many)
		// What the runtime allocates just before a run's operations or after them is recorded, but not counted.
		// Subtracting it leaves wrong figures for the lines.
		if odd := got.odd(k); !repeated && odd > 0 && odd <= fewObjects && (want.isWhole() || len(chance) > 0) {
			repeated = true
			continue
		}
		if m.apart {
			got = got.sharing(want, float64(located.tiny())/float64(k))
		}
		next := min(8*k, last) // last is k times a power of two
		for next > k && expected(2*next, many, runs) > maxRecorded {
			next /= 2
		}
		agrees := got.agrees(want) && (!want.isWhole() || got.isWhole())
		// The same runs gave the figures and the places: these are as exact as any.
		if !agrees && next > k && (last <= fewOperations || time.Since(begin) < 2*steadyTimeout) {
			k = next
			continue
		}
		result.Profiled = k
		if agrees || k == last {
			result.AllocsPerOp, result.BytesPerOp = max(0, got.allocs), max(0, got.bytes)
			result.Stacks = located.stacks()
			return
		}
		// The operations that could be recorded allocate at another rate than later ones. Scale the recorded objects to
		// the rate over many operations.
		const unit = 1 << 10
		if got.allocs > 0 && want.allocs > 0 {
			for i := range located {
				located[i].objects = int64(math.Round(float64(located[i].objects) * unit * want.allocs / got.allocs))
			}
			result.Profiled *= unit
		}
		result.Stacks = located.stacks()
		return
	}
}

// expected returns an upper bound on the allocations of a run of n operations: the allocations of the shorter run,
// scaled to n operations, or fewer if one of the others with at least n operations allocated less. The shorter run may
// be mostly warm-up, so that its scaled number is too high.
func expected(n int, shorter counted, others []counted) float64 {
	allocs := float64(shorter.allocs) / float64(shorter.n) * float64(n)
	for _, other := range others {
		if other.n >= n {
			allocs = min(allocs, float64(other.allocs))
		}
	}
	return allocs
}

// sampleTime is the minimum duration of a sample of a benchmark's time, unless a number of operations is asked for.
// firstSample is the minimum if there is only one sample.
const (
	sampleTime  = 100 * time.Millisecond
	firstSample = 8 * time.Millisecond
)

// maxSample bounds a sample of a benchmark that takes long before its loop or while its timer is stopped.
const maxSample = time.Second

// samples returns count measurements of the benchmark's time in ns/op, given the runs that counted its allocations.
// Each has as many operations as t says, or takes at least t's time, and more if the benchmark does much before its
// loop, which is part of the time as it is with "go test".
func (m *measurement) samples(count int, t benchtime, runs []counted) []float64 {
	if m.failed || m.err != nil || len(runs) == 0 {
		return nil
	}
	n := t.operations
	if n == 0 {
		n = operationsFor(t.time, runs)
	}
	var samples []float64
	for i := 0; i < count; i++ {
		samples = append(samples, float64(m.run(n, counting).time.Nanoseconds())/float64(n))
	}
	return samples
}

// operationsFor returns how many operations take at least the given time, given the runs that were measured.
func operationsFor(least time.Duration, runs []counted) int {
	first, last := runs[0], runs[len(runs)-1]
	each := float64(last.time) / float64(last.n)
	if last.n > first.n && last.time > first.time {
		slope := float64(last.time-first.time) / float64(last.n-first.n)
		setup := float64(first.time) - slope*float64(first.n)
		each, least = slope, max(least, min(10*time.Duration(setup), maxSample/4))
	}
	return int(max(1, min(
		maxOperations,
		64*float64(last.n),
		float64(least)/max(each, 0.1),
		float64(max(maxSample, 2*least))*float64(last.n)/float64(max(last.wall, 1)),
	)))
}

// sample measures the benchmark's time once, over as many operations as t says or as take at least t's time, given how
// long a single operation took. It does not count allocations.
func (m *measurement) sample(name string, once time.Duration, t benchtime) wire.Benchmark {
	last := counted{n: 1, wall: once, run: run{time: once}}
	for t.operations == 0 && last.time < t.time/4 && last.wall < t.time && last.n < maxOperations/2 && m.err == nil &&
		!m.failed {
		last = m.counted(last.grow(t.time/4), counting)
	}
	result := wire.Benchmark{Name: name, N: last.n, Profiled: last.n}
	if ns := m.samples(1, t, []counted{last}); len(ns) > 0 {
		result.NsPerOp = ns[0]
	}
	return result
}
