// Command constructor-calls makes a value in a constructor that calls a function.
package main

import (
	"fmt"
	"testing"
)

// ANCHOR: alarm

// An alarm rings at a minute of the day.
type alarm struct{ minute, rings int }

func newAlarm(clock string) *alarm { return &alarm{minutes(clock), 3} }

// minutes reads "07:58". Its loop is too much to be inlined.
func minutes(clock string) int {
	n := 0
	for _, c := range clock {
		switch {
		case c >= '0' && c <= '9':
			n = n*10 + int(c-'0')
		case c != ':':
			panic("alarm: no time: " + clock)
		}
	}
	return n/100*60 + n%100
}

// until is how many minutes after midnight the alarm rings.
func until(clock string) int {
	a := newAlarm(clock)
	return a.minute
}

func main() {
	fmt.Println(until("07:58"), testing.AllocsPerRun(1000, func() { until("07:58") }), "allocs")
}

// ANCHOR_END: alarm
