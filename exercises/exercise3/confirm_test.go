package settings_test

import (
	"math/rand/v2"
	"strconv"
	"strings"
	"testing"

	"onthestack/exercises/exercise3"
)

// A setting is what a confirming benchmark looks for.
type setting struct {
	layers []settings.Layer
	key    string
	number int // its value
}

// BenchmarkNumberConfirmLayers looks for settings in any of many layers.
func BenchmarkNumberConfirmLayers(b *testing.B) {
	r := newRand(b)
	all := make([]setting, 101)
	for i := range all {
		layers := make([]settings.Layer, newSize(r, 3000))
		for j := range layers {
			layers[j].Name = "layer " + strconv.Itoa(j)
			if j%3 == 0 {
				layers[j].Values = map[string]string{"": "soon", "color": "green"}
			}
		}
		key := newText(r, 40) + "#"
		place := r.IntN(len(layers))
		for j := place; j < len(layers); j += 1 + r.IntN(len(layers)) { // the first of them counts
			layers[j].Values = map[string]string{key: newNumber(r)}
		}
		all[i] = setting{layers, key, find(layers, key).number}
	}
	findEach(b, all)
}

// BenchmarkNumberConfirmTexts looks for settings with keys, names and values of all lengths.
func BenchmarkNumberConfirmTexts(b *testing.B) {
	r := newRand(b)
	all := make([]setting, 101)
	for i := range all {
		key := newText(r, newSize(r, 1<<15))
		others := map[string]string{key + "!": "soon", "!" + key: "", key[:len(key)/2] + "?": "1"}
		layers := []settings.Layer{
			{}, {newText(r, newSize(r, 1<<12)), others}, {"defaults", map[string]string{key: newNumber(r)}},
		}
		all[i] = setting{layers, key, find(layers, key).number}
	}
	findEach(b, all)
}

// newNumber returns a number of any size for strconv.Atoi, in any form.
func newNumber(r *rand.Rand) string {
	number := strconv.Itoa(int(r.Uint64()) >> r.IntN(64))
	switch r.IntN(8) {
	case 0:
		return "+" + strings.Repeat("0", newSize(r, 1000)) + strings.TrimPrefix(number, "-")
	case 1:
		return "-0"
	}
	return number
}

// findEach looks for a setting in each operation.
func findEach(b *testing.B, all []setting) {
	i := 0
	for b.Loop() {
		s := &all[i%len(all)]
		if got, err := settings.Number(s.layers, s.key); got != s.number || err != nil {
			b.Fatalf("wrong number in the benchmark\n  layers: %d\n  key:    %.40q\n  got:    %d, error %v\n"+
				"  want:   %d, error <nil>", len(s.layers), s.key, got, err, s.number)
		}
		i++
	}
}
