// Package station reports what the sensors of a weather station measure.
package station

import (
	"io"
	"strconv"
)

// ANCHOR: report

// A Station writes reports.
type Station struct {
	Sensors []Sensor
	Out     io.Writer
}

// A Sensor has a name and a temperature, in tenths of a degree.
type Sensor struct {
	Name   string
	Tenths int
}

// Report writes a line for each sensor, and one for the median.
func (s *Station) Report() error {
	return s.Lines(s.Median())
}

// Lines writes a line for each sensor, and one for a median.
func (s *Station) Lines(median int) error {
	for i := range s.Sensors {
		if err := s.write(s.Sensors[i].Name, s.Sensors[i].Tenths); err != nil {
			return err
		}
	}
	return s.write("median", median)
}

// ANCHOR: write
func (s *Station) write(name string, tenths int) error {
	// ANCHOR: line
	var line [32]byte
	// ANCHOR_END: line
	text := append(line[:0], name...)
	text = append(text, ' ')
	text = strconv.AppendInt(text, int64(tenths), 10)
	text = append(text, '\n')
	_, err := s.Out.Write(text)
	return err
}

// ANCHOR_END: write

// Median returns the median of the sensors, 0 where there are none.
func (s *Station) Median() int {
	sorted := make([]int, 0, len(s.Sensors))
	for i := range s.Sensors {
		tenths := s.Sensors[i].Tenths
		sorted = append(sorted, tenths)
		at := len(sorted) - 1
		for ; at > 0 && sorted[at-1] > tenths; at-- {
			sorted[at] = sorted[at-1]
		}
		sorted[at] = tenths
	}
	if len(sorted) == 0 {
		return 0
	}
	return sorted[len(sorted)/2]
}

// ANCHOR_END: report
