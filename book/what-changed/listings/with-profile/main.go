// Command with-profile calls through an interface that nearly always holds the same type.
package main

import (
	"fmt"
	"os"
	"runtime/pprof"
	"testing"
)

// ANCHOR: gauge

// A gauge sums up what it is shown.
type gauge interface{ show(reading *int) }

type meter struct{ sum int }

func (m *meter) show(reading *int) {
	for shift := 0; shift < 20; shift++ {
		m.sum ^= *reading << shift
	}
}

type lamp struct{ on bool }

func (l *lamp) show(reading *int) { l.on = *reading != 0 }

//go:noinline
func record(g gauge, reading int) { g.show(&reading) }

func main() {
	if name := os.Getenv("PROFILE"); name != "" {
		if err := writeProfile(name); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
	}
	m, l := new(meter), new(lamp)
	fmt.Println("meter:", testing.AllocsPerRun(1000, func() { record(m, 1000) }), "allocs")
	fmt.Println("lamp: ", testing.AllocsPerRun(1000, func() { record(l, 1000) }), "allocs")
}

// ANCHOR_END: gauge

// writeProfile records to a meter, over and over, and writes a profile of that.
func writeProfile(name string) error {
	file, err := os.Create(name)
	if err != nil {
		return err
	}
	defer file.Close()
	if err := pprof.StartCPUProfile(file); err != nil {
		return err
	}
	defer pprof.StopCPUProfile()
	m := new(meter)
	for i := 0; i < 30000000; i++ {
		record(m, i)
	}
	return nil
}
