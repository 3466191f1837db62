package weather_test

import (
	"bytes"
	"testing"

	weather "onthestack/book/heap-optimization/listings/pool-caller"
)

// ANCHOR: benchmark
var feed = weather.NewFeed()

func BenchmarkSend(b *testing.B) {
	report := weather.Report{Station: "Fichtelberg", Tenths: -35, Wind: 61}
	want := []byte("Fichtelberg -3.5 C, 61 km/h\n")
	var out bytes.Buffer
	scratch, _ := feed.Send(&out, report, nil) // out grows, and so does scratch
	b.ResetTimer()

	for i := 0; i < b.N; i++ {
		out.Reset()
		scratch, _ = feed.Send(&out, report, scratch)
		if !bytes.Equal(out.Bytes(), want) {
			b.Fatalf("wrote %q", out.Bytes())
		}
	}
}

// ANCHOR_END: benchmark
