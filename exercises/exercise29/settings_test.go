package setting_test

import (
	"math"
	"sync"
	"testing"

	"onthestack/exercises/exercise29"
)

// check sends the change from one version to another and compares the message, and what
// another device has after it.
func check(t *testing.T, from, to setting.Settings) {
	t.Helper()
	change := setting.Diff(from, to)
	text := encoded(t, change)
	if got, want := sorted(t, text), encoded(t, difference(from, to)); got != want {
		t.Fatalf("wrong message about a change\n  from: %+v\n  to:   %+v\n  got:  %s\n  want: %s", from, to, got, want)
	}
	if got := from.Apply(change); got != to {
		t.Fatalf("wrong settings after a change\n  from: %+v\n  got:  %+v\n  want: %+v", from, got, to)
	}
	if got := to.Apply(decoded(t, text)); got != to {
		t.Fatalf("wrong settings after a change that was received twice\n  from: %+v\n  text: %s\n  got:  %+v\n  want: %+v",
			from, text, got, to)
	}
	if got := from.Apply(decoded(t, text)); got != to {
		t.Fatalf("wrong settings after a change that was sent\n  from: %+v\n  text: %s\n  got:  %+v\n  want: %+v", from,
			text, got, to)
	}
}

func TestDiff(t *testing.T) {
	zero := setting.Settings{}
	full := setting.Settings{Language: "pt", Alarm: 390, Volume: 7, Light: 80, Heating: 19, Towels: 2, Quiet: true}
	versions := []setting.Settings{
		full, zero,
		{Language: "en", Alarm: -1, Volume: math.MaxInt, Light: math.MinInt, Heating: -19, Towels: 1},
		{Language: "\"pt\"\n<é>", Alarm: 7, Volume: 390, Light: 19, Heating: 80, Towels: 1},
	}
	for _, clear := range []func(*setting.Settings){
		func(s *setting.Settings) { s.Language = "" }, func(s *setting.Settings) { s.Alarm = 0 },
		func(s *setting.Settings) { s.Volume = 0 }, func(s *setting.Settings) { s.Light = 0 },
		func(s *setting.Settings) { s.Heating = 0 }, func(s *setting.Settings) { s.Towels = 0 },
		func(s *setting.Settings) { s.Quiet = false },
	} {
		to := full
		clear(&to)
		versions = append(versions, to)
	}
	for _, to := range versions {
		check(t, full, to)
		check(t, zero, to)
		check(t, to, full)
		check(t, to, zero)
		check(t, to, to)
	}
}

// The text of a message is as it has always been, in the order of the fields.
func TestText(t *testing.T) {
	full := setting.Settings{Language: "pt", Alarm: 390, Volume: 7, Light: 80, Heating: 19, Towels: 2, Quiet: true}
	for _, test := range []struct {
		from, to setting.Settings
		want     string
	}{
		{full, full, `{}`},
		{setting.Settings{}, full, `{"language":"pt","alarm":390,"volume":7,"light":80,"heating":19,"towels":2,"quiet":true}`},
		{full, setting.Settings{}, `{"language":"","alarm":0,"volume":0,"light":0,"heating":0,"towels":0,"quiet":false}`},
		{full, setting.Settings{Language: "pt", Alarm: 390, Light: 80, Heating: 19, Towels: 2, Quiet: true}, `{"volume":0}`},
	} {
		if got := encoded(t, setting.Diff(test.from, test.to)); got != test.want {
			t.Errorf("wrong message\n  from: %+v\n  to:   %+v\n  got:  %s\n  want: %s", test.from, test.to, got, test.want)
		}
	}
}

// What a message does not have stays as it is, and so does what it has as null.
func TestReceived(t *testing.T) {
	full := setting.Settings{Language: "pt", Alarm: 390, Volume: 7, Light: 80, Heating: 19, Towels: 2, Quiet: true}
	for text, change := range map[string]func(*setting.Settings){
		`{}`:                             func(*setting.Settings) {},
		`{"alarm":0}`:                    func(s *setting.Settings) { s.Alarm = 0 },
		`{"volume":0}`:                   func(s *setting.Settings) { s.Volume = 0 },
		`{"light":0}`:                    func(s *setting.Settings) { s.Light = 0 },
		`{"heating":0,"light":1}`:        func(s *setting.Settings) { s.Heating, s.Light = 0, 1 },
		`{"towels":0}`:                   func(s *setting.Settings) { s.Towels = 0 },
		`{"towels":-5,"alarm":1439}`:     func(s *setting.Settings) { s.Towels, s.Alarm = -5, 1439 },
		`{"quiet":false}`:                func(s *setting.Settings) { s.Quiet = false },
		`{"language":""}`:                func(s *setting.Settings) { s.Language = "" },
		`{"language":"é","quiet":true}`:  func(s *setting.Settings) { s.Language = "é" },
		`{"volume":null}`:                func(*setting.Settings) {},
		`{"language":null,"volume":0}`:   func(s *setting.Settings) { s.Volume = 0 },
		` { "alarm" : 7 , "quiet":null}`: func(s *setting.Settings) { s.Alarm = 7 },
	} {
		want := full
		change(&want)
		if got := full.Apply(decoded(t, text)); got != want {
			t.Errorf("wrong settings after a message\n  text: %s\n  got:  %+v\n  want: %+v", text, got, want)
		}
	}
}

func TestRandomSettings(t *testing.T) {
	r := newRand(t)
	for i := range 2000 {
		from := newSettings(r)
		check(t, from, edited(r, from, i&allFields))
	}
}

// Two devices change settings at the same time, and each gets the other one's change. They
// agree unless both have changed the same one.
func TestTwoDevices(t *testing.T) {
	r := newRand(t)
	for range 500 {
		from := newSettings(r)
		fields := r.IntN(allFields + 1)
		first, second := edited(r, from, fields), edited(r, from, allFields&^fields)
		toFirst := encoded(t, setting.Diff(from, second))
		toSecond := encoded(t, setting.Diff(from, first))
		got, want := first.Apply(decoded(t, toFirst)), second.Apply(decoded(t, toSecond))
		if got != want {
			t.Fatalf("two devices do not agree after they have changed different settings\n  from:   %+v\n"+
				"  first:  %s\n  second: %s\n  got:    %+v\n  want:   %+v", from, toSecond, toFirst, got, want)
		}
	}
}

// A change stays as it is while the settings change on.
func TestChangesAreKept(t *testing.T) {
	r := newRand(t)
	var changes []setting.Change
	var texts []string
	current := newSettings(r)
	for range 300 {
		next := edited(r, current, r.IntN(allFields+1))
		change := setting.Diff(current, next)
		changes, texts = append(changes, change), append(texts, encoded(t, change))
		current = current.Apply(change)
		current = edited(r, current, r.IntN(allFields+1))
	}
	for i, change := range changes {
		if got := encoded(t, change); got != texts[i] {
			t.Fatalf("a change is another one later\n  got:  %s\n  want: %s", got, texts[i])
		}
	}
}

// Many handlers compare settings at the same time.
func TestAtOnce(t *testing.T) {
	r := newRand(t)
	from, to := make([]setting.Settings, 8), make([]setting.Settings, 8)
	for i := range from {
		from[i] = newSettings(r)
		to[i] = edited(r, from[i], allFields)
	}
	var handlers sync.WaitGroup
	for i := range from {
		handlers.Go(func() {
			for range 100 {
				if got := from[i].Apply(setting.Diff(from[i], to[i])); got != to[i] {
					t.Errorf("wrong settings when handlers compare at the same time\n  from: %+v\n  got:  %+v\n  want: %+v",
						from[i], got, to[i])
					return
				}
			}
		})
	}
	handlers.Wait()
}
