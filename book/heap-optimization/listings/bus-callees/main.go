// Command callees counts what a descriptor costs with three kinds of callee.
package main

import (
	"fmt"
	"testing"
)

type Segment struct {
	Data []byte
	Hz   uint32
	Bits uint8
	Hold bool
}

type Device interface {
	Exchange(segments []Segment) error
}

type tank struct{ level byte }

func (t *tank) Exchange(segments []Segment) error {
	segments[0].Data[0] = t.level
	return nil
}

// ANCHOR: callees
type driver struct {
	tank *tank
	dev  Device
	call func([]Segment) error
}

func main() {
	t := &tank{level: 42}
	d := &driver{tank: t, dev: t, call: t.Exchange}
	data := make([]byte, 3)

	method := testing.AllocsPerRun(1000, func() {
		segments := [1]Segment{{Data: data}}
		d.tank.Exchange(segments[:])
	})
	iface := testing.AllocsPerRun(1000, func() {
		segments := [1]Segment{{Data: data}}
		d.dev.Exchange(segments[:])
	})
	value := testing.AllocsPerRun(1000, func() {
		segments := [1]Segment{{Data: data}}
		d.call(segments[:])
	})

	fmt.Println("a method of *tank:        ", method, "allocs")
	fmt.Println("a method of an interface: ", iface, "allocs")
	fmt.Println("a func value:             ", value, "allocs")
}

// ANCHOR_END: callees
