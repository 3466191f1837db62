package station_test

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	station "onthestack/book/heap-optimization/listings/station-fixed"
)

func TestReport(t *testing.T) {
	for n := range 40 {
		var sensors []station.Sensor
		var tenths []int
		var want, out bytes.Buffer
		for i := range n {
			tenths = append(tenths, rand.IntN(800)-300)
			sensors = append(sensors, station.Sensor{Name: strings.Repeat("n", i), Tenths: tenths[i]})
			fmt.Fprintln(&want, sensors[i].Name, tenths[i])
		}
		slices.Sort(tenths)
		median := 0
		if n > 0 {
			median = tenths[n/2]
		}
		fmt.Fprintln(&want, "median", median)

		s := &station.Station{Sensors: sensors, Out: &out}
		for range 2 {
			out.Reset()
			if err := s.Report(); err != nil {
				t.Fatal(err)
			}
			if out.String() != want.String() {
				t.Fatalf("%d sensors: got\n%s\nwant\n%s", n, out.String(), want.String())
			}
		}
	}
}
