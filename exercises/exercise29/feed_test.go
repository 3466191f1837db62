package setting_test

import (
	"encoding/json"
	"math/rand/v2"
	"os"
	"strconv"
	"testing"

	"onthestack/exercises/exercise29"
)

// drawn is the seed of this process: fresh in every run, and the same whenever
// a benchmark is set up again for more operations, so that these differ in
// nothing else.
var drawn = rand.Uint64()

// newRand returns a source of random inputs that differ in every run. When tb
// fails it logs the seed; the environment variable SEED repeats that run.
func newRand(tb testing.TB) *rand.Rand {
	tb.Helper()
	seed := drawn
	if s := os.Getenv("SEED"); s != "" {
		var err error
		if seed, err = strconv.ParseUint(s, 10, 64); err != nil {
			tb.Fatalf("SEED must be a whole number: %v", err)
		}
	}
	tb.Cleanup(func() {
		if tb.Failed() {
			tb.Logf("to repeat these inputs: SEED=%d", seed)
		}
	})
	return rand.New(rand.NewPCG(seed, 0))
}

// newNumber returns a number, which is zero or near it about every second time.
func newNumber(r *rand.Rand) int {
	if r.IntN(2) == 0 {
		return r.IntN(3) - 1
	}
	return int(r.Uint64()) >> r.IntN(64)
}

// newText returns a text, which is "" about every second time.
func newText(r *rand.Rand) string {
	const letters = "pten-\"\\,{}<&é\u2028\x01"
	text := []rune(letters)
	r.Shuffle(len(text), func(i, j int) { text[i], text[j] = text[j], text[i] })
	return string(text[:r.IntN(2)*r.IntN(len(text))])
}

// newSettings returns settings of any kind.
func newSettings(r *rand.Rand) setting.Settings {
	return setting.Settings{Language: newText(r), Alarm: newNumber(r), Volume: newNumber(r), Light: newNumber(r),
		Heating: newNumber(r), Towels: newNumber(r), Quiet: r.IntN(2) == 0}
}

// allFields has a bit for each of the settings, in order.
const allFields = 1<<7 - 1

// edited returns s with another value where a bit of changed is set.
func edited(r *rand.Rand, s setting.Settings, changed int) setting.Settings {
	if changed&1 != 0 {
		for was := s.Language; s.Language == was; {
			s.Language = newText(r)
		}
	}
	for i, number := range []*int{&s.Alarm, &s.Volume, &s.Light, &s.Heating, &s.Towels} {
		if changed>>(i+1)&1 != 0 {
			for was := *number; *number == was; {
				*number = newNumber(r)
			}
		}
	}
	s.Quiet = s.Quiet != (changed&(1<<6) != 0)
	return s
}

// A message is what a change has to be as JSON: the settings that have changed, by name.
type message map[string]any

// difference returns the message about a change.
func difference(from, to setting.Settings) message {
	m := message{}
	add := func(name string, was, is any) {
		if was != is {
			m[name] = is
		}
	}
	add("language", from.Language, to.Language)
	add("alarm", from.Alarm, to.Alarm)
	add("volume", from.Volume, to.Volume)
	add("light", from.Light, to.Light)
	add("heating", from.Heating, to.Heating)
	add("towels", from.Towels, to.Towels)
	add("quiet", from.Quiet, to.Quiet)
	return m
}

// encoded returns a value as JSON, with the names of its fields in order.
func encoded(tb testing.TB, v any) string {
	tb.Helper()
	text, err := json.Marshal(v)
	if err != nil {
		tb.Fatal(err)
	}
	return string(text)
}

// sorted returns JSON with the names of its fields in order.
func sorted(tb testing.TB, text string) string {
	tb.Helper()
	fields := map[string]json.RawMessage{}
	if err := json.Unmarshal([]byte(text), &fields); err != nil {
		tb.Fatalf("a change is no JSON\n  text: %.200q\n  error: %v", text, err)
	}
	return encoded(tb, fields)
}

// decoded returns the change in a message.
func decoded(tb testing.TB, text string) (c setting.Change) {
	tb.Helper()
	if err := json.Unmarshal([]byte(text), &c); err != nil {
		tb.Fatalf("a change cannot be received\n  text:  %.200q\n  error: %v", text, err)
	}
	return c
}
