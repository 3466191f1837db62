package settings_test

import (
	"errors"
	"maps"
	"strconv"
	"strings"
	"sync"
	"testing"

	"onthestack/exercises/exercise3"
)

// A result is what Number returns: a number, or the text of an error and what it wraps.
type result struct {
	number int
	text   string
	err    error
}

// find returns what Number has to return.
func find(layers []settings.Layer, key string) result {
	for _, l := range layers {
		value, ok := l.Values[key]
		if !ok {
			continue
		}
		n, err := strconv.Atoi(value)
		if err != nil {
			return result{0, key + ": not a number: " + strconv.Quote(value) + " in " + l.Name, settings.ErrSyntax}
		}
		return result{n, "", nil}
	}
	return result{0, key + ": not set", settings.ErrUnset}
}

func check(t *testing.T, layers []settings.Layer, key string) {
	t.Helper()
	want := find(layers, key)
	got, err := settings.Number(layers, key)
	if got != want.number {
		t.Fatalf("wrong number\n  layers: %d\n  key:    %.40q\n  got:    %d\n  want:   %d", len(layers), key, got,
			want.number)
	}
	if (err != nil) != (want.err != nil) {
		t.Fatalf("wrong error\n  layers: %d\n  key:    %.40q\n  got:    %.60v\n  want:   %.60v", len(layers), key, err,
			want.err)
	}
	if err == nil {
		return
	}
	if err.Error() != want.text {
		t.Fatalf("wrong text of an error\n  layers: %d\n  key:    %.40q\n  got:    %.80q\n  want:   %.80q",
			len(layers), key, err.Error(), want.text)
	}
	for _, wrapped := range []error{settings.ErrUnset, settings.ErrSyntax} {
		if got, want := errors.Is(err, wrapped), want.err == wrapped; got != want {
			t.Fatalf("wrong answer of errors.Is(err, %q)\n  err:  %.80q\n  got:  %v\n  want: %v", wrapped, err.Error(),
				got, want)
		}
	}
}

// layer returns a layer that has a value for a key.
func layer(name, key, value string) settings.Layer {
	return settings.Layer{Name: name, Values: map[string]string{key: value}}
}

func TestNumber(t *testing.T) {
	user := settings.Layer{Name: "user", Values: map[string]string{"idle": "5", "": "0", "away": "soon", "x": ""}}
	team := settings.Layer{Name: "team", Values: map[string]string{
		"idle": "soon", "away": "60", "beep": "-1", "x": "1",
	}}
	last := settings.Layer{Name: "100%s", Values: map[string]string{"idle": "15", "beep": "1", "late": "%d", "y": " 1"}}
	for _, layers := range [][]settings.Layer{
		nil, {}, {user}, {team}, {last}, {user, team}, {team, user}, {user, team, last}, {last, team, user},
		{{}, user, {}}, {{Name: "empty", Values: map[string]string{}}, {Name: "nil"}, last}, {user, user, user},
	} {
		for _, key := range []string{"idle", "", "away", "beep", "x", "y", "late", "none", "Idle", "idl", "100%d"} {
			check(t, layers, key)
		}
	}
}

// Values that are numbers for strconv.Atoi, and others that are none.
func TestValues(t *testing.T) {
	for _, value := range []string{
		"0", "-0", "+5", "007", "-9223372036854775808", "9223372036854775807", "9223372036854775808", "-", "+", "",
		"1e3", "1.0", "0x10", "1_000", " 1", "1 ", "1\n", "\x00", "\xff", "½", "--1", "12345678901234567890123456789",
		strings.Repeat("0", 1000) + "7", strings.Repeat("7", 1000),
		"\t\a\u00a0\u200b\u007f\ufeff\ufffd'`", "\U000e0001\U0010ffff",
	} {
		check(t, []settings.Layer{layer("user", "idle", value)}, "idle")
		check(t, []settings.Layer{{}, layer("user", "idle", value), layer("team", "idle", "1")}, "idle")
	}
	for n := 1; n > 0; n *= 2 {
		for _, n := range []int{n - 1, n, -n} {
			check(t, []settings.Layer{layer("user", "idle", strconv.Itoa(n))}, "idle")
		}
	}
}

// Layers that have few of few keys, so that most settings are in some of them.
func TestRandomLayers(t *testing.T) {
	r := newRand(t)
	for range 300 {
		keys := make([]string, 1+r.IntN(8))
		for i := range keys {
			keys[i] = newText(r, 1+r.IntN(30))
		}
		layers := make([]settings.Layer, r.IntN(10))
		for i := range layers {
			layers[i] = settings.Layer{Name: newText(r, 10), Values: map[string]string{}}
			for range r.IntN(4) {
				value := newText(r, 4)
				if r.IntN(3) > 0 {
					value = strconv.Itoa(int(r.Uint64()) >> r.IntN(64))
				}
				layers[i].Values[keys[r.IntN(len(keys))]] = value
			}
		}
		for _, key := range keys {
			check(t, layers, key)
		}
	}
}

// The setting is in the last of many layers, or in none, and the layers stay as they are.
func TestManyLayers(t *testing.T) {
	r := newRand(t)
	for n := 1; n <= 1<<16; n *= 4 {
		layers := make([]settings.Layer, n+1+r.IntN(n))
		check(t, layers, "idle")
		last := &layers[len(layers)-1]
		for _, value := range []string{strconv.Itoa(n), "soon"} {
			*last = layer("last", "idle", value)
			check(t, layers, "idle")
			if want := layer("last", "idle", value); last.Name != want.Name || !maps.Equal(last.Values, want.Values) {
				t.Fatalf("Number changes the last of %d layers\n  got:  %v\n  want: %v", len(layers), *last, want)
			}
		}
	}
}

// Keys, values and names of every length. Two keys differ in one byte only.
func TestLongTexts(t *testing.T) {
	r := newRand(t)
	for n := 1; n <= 1<<20; n *= 4 {
		long := strings.Repeat("x", n+r.IntN(n))
		layers := []settings.Layer{
			layer("user", long, "1"), layer("user", long+"!", "2"), layer("user", "!"+long, "3"),
			layer(long, "idle", long),
		}
		for _, key := range []string{long, long + "!", "!" + long, long + "?", "idle"} {
			check(t, layers, key)
		}
	}
}

// An error stays as it is, its text too, when other settings are looked for and when the
// layers change.
func TestErrorsStay(t *testing.T) {
	r := newRand(t)
	type made struct {
		err  error
		want result
	}
	var errs []made
	layers := make([]settings.Layer, 4)
	for i := range 300 {
		for j := range layers {
			layers[j].Name = "layer " + strconv.Itoa(i)
		}
		changed := &layers[r.IntN(len(layers))]
		if r.IntN(10) == 0 {
			*changed = settings.Layer{}
		} else if changed.Values == nil {
			changed.Values = map[string]string{}
		} else {
			changed.Values[string(rune('a'+r.IntN(5)))] = newText(r, 4)
		}
		key := string(rune('a' + r.IntN(6)))
		if _, err := settings.Number(layers, key); err != nil {
			errs = append(errs, made{err, find(layers, key)})
		}
	}
	for i, e := range errs {
		if e.err.Error() != e.want.text || !errors.Is(e.err, e.want.err) {
			t.Fatalf("an error changes later\n  error: %d of %d\n  got:   %.80q\n  want:  %.80q", i+1, len(errs),
				e.err.Error(), e.want.text)
		}
	}
	if len(errs) == 0 {
		t.Fatal("no error in 300 calls\n  got:  0\n  want: most of them")
	}
}

// Goroutines ask the same layers at once.
func TestAtOnce(t *testing.T) {
	layers := []settings.Layer{{Name: "user"}, layer("team", "away", "soon"), layer("defaults", "idle", "15")}
	var calls sync.WaitGroup
	for range 8 {
		calls.Go(func() {
			for range 100 {
				n, err := settings.Number(layers, "idle")
				_, unset := settings.Number(layers, "none")
				_, syntax := settings.Number(layers, "away")
				if n != 15 || err != nil || !errors.Is(unset, settings.ErrUnset) ||
					!errors.Is(syntax, settings.ErrSyntax) {
					t.Errorf("wrong results when goroutines ask at once\n  got:  %d, %v, %v, %v\n"+
						"  want: 15, <nil>, %v, %v", n, err, unset, syntax, find(layers, "none").text,
						find(layers, "away").text)
					return
				}
			}
		})
	}
	calls.Wait()
}
