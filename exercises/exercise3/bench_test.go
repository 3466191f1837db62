package settings_test

import (
	"testing"

	"onthestack/exercises/exercise3"
)

// BenchmarkNumber looks for a setting that only the last of four layers has.
func BenchmarkNumber(b *testing.B) {
	layers := []settings.Layer{
		{Name: "user", Values: map[string]string{"color": "green"}},
		{Name: "team", Values: map[string]string{"color": "blue"}},
		{Name: "company"},
		{Name: "defaults", Values: map[string]string{"minutes until the screen goes off": "15"}},
	}
	settings.Number(layers, "minutes until the screen goes off") // package fmt keeps a buffer for later calls
	for b.Loop() {
		settings.Number(layers, "minutes until the screen goes off")
	}
}
