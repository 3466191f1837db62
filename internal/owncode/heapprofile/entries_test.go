package heapprofile

import (
	"math"
	"math/rand/v2"
	"testing"
)

// TestMargins proves with drawn samples that the truth is within the margins for 19 of 20 lines that have at least ten
// samples. A line has objects of one to three sizes.
func TestMargins(t *testing.T) {
	r := rand.New(rand.NewPCG(42, 1))
	for _, rate := range []int64{4096, 512 << 10} {
		within, all := 0, 0
		for range 20_000 {
			var objects, bytes, truth, trueBytes float64
			var sum Estimate
			for range 1 + r.IntN(3) {
				size := int64(8) << r.IntN(14)
				p := -math.Expm1(-float64(size) / float64(rate))
				// So many objects that a few to some hundred samples are expected.
				n := math.Ceil(math.Exp(r.Float64()*5) * 2 / p)
				k := binomial(r, n, p)
				scaled := math.Trunc(k / p) // as runtime/pprof scales
				truth, trueBytes = truth+n, trueBytes+n*float64(size)
				objects, bytes = objects+scaled, bytes+math.Trunc(k*float64(size)/p)
				sum.Add(newEstimate(scaled, size, rate))
			}
			if sum.Samples < FewSamples {
				continue
			}
			all++
			inObjects, inBytes := sum.Margins(objects, bytes)
			if math.Abs(objects-truth) <= inObjects && math.Abs(bytes-trueBytes) <= inBytes {
				within++
			}
		}
		if share := float64(within) / float64(all); share < 0.95 || share > 0.98 || all < 15_000 {
			t.Errorf("rate %d: %d of %d lines are within their margins: %.3f", rate, within, all, share)
		} else {
			t.Logf("rate %d: %.3f of %d lines", rate, share, all)
		}
	}
}

// binomial draws how many of n objects are sampled, each with probability p.
func binomial(r *rand.Rand, n, p float64) (k float64) {
	if p > 0.1 {
		for range int(n) {
			if r.Float64() < p {
				k++
			}
		}
		return k
	}
	// The gaps between samples are geometric.
	for at := 0.0; ; k++ {
		at += math.Ceil(math.Log(1-r.Float64()) / math.Log1p(-p))
		if at > n {
			return k
		}
	}
}

// TestEstimate tests estimates whose samples are known.
func TestEstimate(t *testing.T) {
	for _, test := range []struct {
		objects    float64
		size, rate int64
		samples    float64
		exact      bool
	}{
		{1000, 48, 1, 1000, true},
		{10922, 48, 524288, 1, false},
		{7, 1 << 24, 524288, 7, true}, // larger than the rate: nearly always sampled
		{100, 0, 524288, 0, true},     // the size is not known
	} {
		e := newEstimate(test.objects, test.size, test.rate)
		objects, bytes := e.Margins(test.objects, test.objects*float64(test.size))
		if e.Samples != test.samples || (objects < 0.001 && bytes < 0.001*float64(max(1, test.size))) != test.exact {
			t.Errorf("%+v: %+v ± %v, %v", test, e, objects, bytes)
		}
	}
}

// TestScan tests that broken encodings are told from whole ones.
func TestScan(t *testing.T) {
	for name, test := range map[string]struct {
		data    []byte
		samples int64
		fails   bool
	}{
		"nothing":         {nil, 0, false},
		"two samples":     {[]byte{0x12, 0, 0x12, 2, 0x0a, 0}, 2, false},
		"too long":        {[]byte{0x12, 0, 0x12, 9, 0}, 1, true},
		"field zero":      {[]byte{0}, 0, true},
		"fixed numbers":   {[]byte{0x09, 1, 2, 3, 4, 5, 6, 7, 8, 0x0d, 1, 2, 3, 4}, 0, false},
		"group":           {[]byte{0x0b}, 0, true},
		"number cut off":  {[]byte{0x08, 0x80}, 0, true},
		"fixed cut off":   {[]byte{0x09, 1}, 0, true},
		"broken a sample": {[]byte{0x12, 1, 0x0a}, 1, true},
	} {
		if samples, _, err := scan(test.data); samples != test.samples || (err != nil) != test.fails {
			t.Errorf("%s: %d samples, %v", name, samples, err)
		}
	}
}

// TestWithoutArguments tests names of generic functions.
func TestWithoutArguments(t *testing.T) {
	for name, want := range map[string]string{
		"a/b.F":               "a/b.F",
		"a/b.F[go.shape.int]": "a/b.F[...]",
		"a/b.(*T[go.shape.[]string,c/d.E[int]]).M": "a/b.(*T[...]).M",
		"a/b.F[go.shape.int].func1":                "a/b.F[...].func1",
		"]":                                        "",
	} {
		if got := withoutArguments(name); got != want {
			t.Errorf("%s: %s, want %s", name, got, want)
		}
	}
}
