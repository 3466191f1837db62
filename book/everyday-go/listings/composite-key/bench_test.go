package main

import "testing"

var (
	byText  = map[string]int{room + "/1204": 120}
	byPlace = map[place]int{place{room, sensor}: 120}
	lux     int
)

func BenchmarkSprintf(b *testing.B) {
	for i := 0; i < b.N; i++ {
		lux = luxBySprintf(byText, room, sensor)
	}
}

func BenchmarkJoined(b *testing.B) {
	for i := 0; i < b.N; i++ {
		lux = luxByJoined(byText, room, sensor)
	}
}

func BenchmarkStruct(b *testing.B) {
	for i := 0; i < b.N; i++ {
		lux = luxByStruct(byPlace, room, sensor)
	}
}
