package watch

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"
)

// BenchmarkSave measures, in turn, the time from a save of the fixture's exercise to its verdict, and a check alone of
// text that differs as much. It reports the medians in ms; the difference is what watch adds.
func BenchmarkSave(b *testing.B) {
	s, err := newShop(b.TempDir())
	if err != nil {
		b.Fatal(err)
	}
	ends := make(chan checkEnded)
	session := newSession(s.Workbook, func(m any) {
		if m, ok := m.(checkEnded); ok {
			ends <- m
		}
	})
	ctx, cancel := context.WithCancel(b.Context())
	done := make(chan struct{})
	go func() {
		defer close(done)
		session.run(ctx)
	}()
	defer func() {
		cancel()
		<-done
	}()
	e := s.Catalog[0]
	session.request(ctx, e)
	<-ends
	var saves, checks []float64
	ms := func(since time.Time) float64 { return float64(time.Since(since).Microseconds()) / 1000 }
	unique := time.Now().UnixNano()
	for i := 0; b.Loop(); i++ {
		begin := time.Now()
		if err := os.WriteFile(filepath.Join(s.Dir(e), "sum.go"), fmt.Appendf(nil, "%s// save %d of %d\n", half, i,
			unique),
			0o666); err != nil {
			b.Fatal(err)
		}
		if end := <-ends; end.err != nil {
			b.Fatal(end.err)
		}
		saves = append(saves, ms(begin))

		begin = time.Now()
		files := map[string][]byte{"sum.go": fmt.Appendf(nil, "%s// check %d of %d\n", half, i, unique)}
		if _, err := s.Check(ctx, e, files, nil); err != nil {
			b.Fatal(err)
		}
		checks = append(checks, ms(begin))
	}
	median := func(all []float64) float64 {
		slices.Sort(all)
		return all[len(all)/2]
	}
	b.ReportMetric(median(saves), "save-ms")
	b.ReportMetric(median(checks), "check-ms")
	b.ReportMetric(0, "ns/op")
}
