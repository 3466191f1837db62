// Command composite-key looks up a reading by room and sensor.
package main

import (
	"fmt"
	"strconv"
	"testing"
)

var (
	room   = "the conservatory on the first floor, north side"
	sensor = 1204
)

// ANCHOR: sprintf
func luxBySprintf(lux map[string]int, room string, sensor int) int {
	return lux[fmt.Sprintf("%s/%d", room, sensor)]
}

// ANCHOR_END: sprintf

// ANCHOR: joined
func luxByJoined(lux map[string]int, room string, sensor int) int {
	return lux[room+"/"+strconv.Itoa(sensor)]
}

// ANCHOR_END: joined

// ANCHOR: struct
type place struct {
	room   string
	sensor int
}

func luxByStruct(lux map[place]int, room string, sensor int) int {
	return lux[place{room, sensor}]
}

// ANCHOR_END: struct

func main() {
	byText := map[string]int{fmt.Sprintf("%s/%d", room, sensor): 120}
	byPlace := map[place]int{place{room, sensor}: 120}
	fmt.Println("Sprintf:", testing.AllocsPerRun(1000, func() { luxBySprintf(byText, room, sensor) }), "allocs")
	fmt.Println("joined: ", testing.AllocsPerRun(1000, func() { luxByJoined(byText, room, sensor) }), "allocs")
	fmt.Println("struct: ", testing.AllocsPerRun(1000, func() { luxByStruct(byPlace, room, sensor) }), "allocs")
}
