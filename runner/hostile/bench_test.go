package hostile

import (
	"testing"
	"time"
)

// maxOverLimit is how long after its time limit a program's answer may come. A program may use that time twice:
// interpreted, and then compiled.
const maxOverLimit = 3 * time.Second

// BenchmarkLimits sends programs that only a time limit ends, and tests how soon the answers come after it.
func BenchmarkLimits(b *testing.B) {
	for _, c := range []struct {
		path, name string
		limits     timeLimits
		limit      time.Duration
	}{
		{"/compile", "loops", shortRuns, 2 * shortRuns.run},
		{"/compile", "deep types", shortBuilds, shortBuilds.build},
		{"/vet", "structures that double", shortBuilds, shortBuilds.build},
		{"/fmt", "a sum without end", unlimited, 3 * time.Second},
	} {
		b.Run(c.path+" "+c.name, func(b *testing.B) {
			r := startTarget(b, c.limits)
			program := hostileProgram(b, c.name)
			for b.Loop() {
				start := time.Now()
				if a := r.form(b, c.path, program); a.status != 200 {
					b.Fatalf("status %d: %s", a.status, a.body)
				}
				took := time.Since(start)
				b.Logf("answered after %v, bar %v", took.Round(time.Millisecond), c.limit+maxOverLimit)
				if took > c.limit+maxOverLimit {
					b.Errorf("the answer took %v", took)
				}
			}
			r.stop(b)
		})
	}
}
