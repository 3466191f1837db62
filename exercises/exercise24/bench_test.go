package settings_test

import (
	"math/rand/v2"
	"strconv"
	"strings"
	"testing"

	"onthestack/exercises/exercise24"
)

// usual is how many operations have the usual layers: the checker's figures are over
// these, and a pass is confirmed over many more.
const usual = 1001

// BenchmarkNumber looks for a setting that only the last of four layers has. Every operation
// looks for another one of 50 keys. After the usual operations every other setting is in
// any of up to 300 layers.
func BenchmarkNumber(b *testing.B) {
	type setting struct {
		layers []settings.Layer
		key    string
		want   int
	}
	r := newRand(b)
	layers := []settings.Layer{{Name: "user"}, {Name: "team"}, {Name: "company"}, {Name: "defaults"}}
	for i := range layers {
		layers[i].Values = map[string]string{"name of layer " + strconv.Itoa(i): layers[i].Name}
	}
	var all []setting
	for i := range 50 {
		// All keys have the same length, so that B/op are the same in each run.
		text := newText(r, 20)
		key, n := strconv.Itoa(100+i)+text+strings.Repeat("x", 30-len(text)), int(r.Uint64())>>r.IntN(60)
		layers[3].Values[key] = strconv.Itoa(n)
		all = append(all, setting{layers, key, n})
	}
	few := len(all)
	if b.N > usual {
		for i := range 60 {
			all = append(all, setting{})
			s := &all[len(all)-1]
			s.key, s.want = newText(r, i*i), int(r.Uint64())>>r.IntN(60)
			s.layers = make([]settings.Layer, 1+r.IntN(5*i+1))
			for j := range s.layers {
				s.layers[j].Name = newText(r, i)
			}
			last := &s.layers[len(s.layers)-1]
			last.Values = map[string]string{s.key: strconv.Itoa(s.want)}
		}
	}

	clock := rand.IntN(1e8) // not from r: no call of this function repeats another's data
	b.ResetTimer()
	for i := range b.N {
		s := &all[(clock+i)%few]
		if i > usual && i%2 == 1 {
			s = &all[few+i/2%(len(all)-few)]
		}
		if got, err := settings.Number(s.layers, s.key); got != s.want || err != nil {
			b.Fatalf("wrong number\n  layers: %d\n  key:    %.40q\n  got:    %d, %v\n  want:   %d, <nil>",
				len(s.layers), s.key, got, err, s.want)
		}
	}
}
