package wording_test

import (
	"maps"
	"math/rand/v2"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"

	"onthestack/exercises/exercise17"
)

// check asks for a text and compares the answer.
func check(t *testing.T, c *wording.Catalog, texts map[place]string, p place) {
	t.Helper()
	returned := false
	defer func() {
		if !returned {
			t.Errorf("Text panics\n  lang:   %.80q\n  screen: %.80q\n  name:   %.80q", p.lang, p.screen, p.name)
		}
	}()
	got, ok := c.Text(p.lang, p.screen, p.name)
	returned = true
	if want, there := find(texts, p); got != want || ok != there {
		t.Fatalf("wrong text\n  lang:   %.80q\n  screen: %.80q\n  name:   %.80q\n  got:    %q, %t\n  want:   %q, %t",
			p.lang, p.screen, p.name, short(got), ok, short(want), there)
	}
}

// short is what a failure says of a text: of a long one the beginning.
func short(text string) string { return text[:min(len(text), 80)] }

// build returns a catalog of texts.
func build(texts map[place]string) *wording.Catalog {
	c := wording.New()
	for p, text := range texts {
		c.Add(p.lang, p.screen, p.name, text)
	}
	return c
}

func TestText(t *testing.T) {
	texts := map[place]string{
		{"", "settings", "save"}:                 "Save",
		{"de", "settings", "save"}:               "Speichern",
		{"de-at", "settings", "save"}:            "Sichern",
		{"", "settings", "cancel"}:               "Cancel",
		{"de", "settings", "nothing"}:            "",
		{"", "settings", "nothing"}:              "Nothing",
		{"fr", "door", "open"}:                   "Ouvrir",
		{"", "", "name alone"}:                   "1",
		{"", "screen alone", ""}:                 "2",
		{"lang alone", "", ""}:                   "3",
		{"", "", ""}:                             "4",
		{"de-", "door", "shut"}:                  "5",
		{"-", "door", "shut"}:                    "6",
		{"", "é", "`{@["}:                        "7",
		{"", "de", "settings"}:                   "8",
		{"", "\x00", strings.Repeat("\xff", 64)}: "9",
	}
	c := build(texts)
	for _, test := range []struct {
		name string
		place
	}{
		{"in the language", place{"de", "settings", "save"}},
		{"in the country's language", place{"de-at", "settings", "save"}},
		{"without a country's", place{"de-ch", "settings", "save"}},
		{"two parts too many", place{"de-at-wien", "settings", "save"}},
		{"in no language", place{"", "settings", "save"}},
		{"in a language that has none", place{"fr", "settings", "save"}},
		{"in a language that has another", place{"fr-be", "settings", "cancel"}},
		{"nowhere", place{"de-at", "settings", "open"}},
		{"nowhere, no language", place{"", "settings", "open"}},
		{"only in another language", place{"de", "door", "open"}},
		{"an empty text is a text", place{"de-de", "settings", "nothing"}},
		{"capital language", place{"DE-at", "settings", "save"}},
		{"all in capitals", place{"DE-AT-WIEN", "SETTINGS", "SAVE"}},
		{"some capitals", place{"de", "Settings", "sAVe"}},
		{"name alone", place{"de", "", "Name Alone"}},
		{"screen alone", place{"", "screen alone", ""}},
		{"language alone", place{"Lang Alone", "", ""}},
		{"nothing at all", place{"", "", ""}},
		{"language ends in a dash", place{"de-", "door", "shut"}},
		{"language ends in two dashes", place{"de--", "door", "shut"}},
		{"language begins with a dash", place{"-x", "door", "shut"}},
		{"language is a dash", place{"-", "door", "open"}},
		{"bytes next to the letters", place{"", "é", "`{@["}},
		{"bytes that other cases of letters would be", place{"", "é", "@[`{"}},
		{"a capital that is no ASCII letter", place{"", "É", "`{@["}},
		{"bytes of no text", place{"de", "\x00", strings.Repeat("\xff", 64)}},
		{"screen is a language", place{"", "de", "settings"}},
		{"language is a screen", place{"de", "settings", ""}},
		{"a part is cut off", place{"d", "settings", "save"}},
		{"a part goes on", place{"de", "settings", "saved"}},
	} {
		t.Run(test.name, func(t *testing.T) { check(t, c, texts, test.place) })
	}
	// A text takes the place of the one that is there, whichever of the two is empty.
	p := place{"de", "settings", "save"}
	for _, text := range []string{"Merken", "", "", "Speichern"} {
		texts[p] = text
		c.Add("DE", p.screen, p.name, text)
		check(t, c, texts, p)
	}
}

// A solution may treat lengths differently, so each one gets its turn. Keys that
// begin alike for 64 bytes and more are still different keys.
func TestEveryLength(t *testing.T) {
	r := newRand(t)
	texts := map[place]string{}
	var places []place
	for n := range 200 {
		screen := r.IntN(n + 1)
		p := place{[]string{"", "de", "de-at"}[r.IntN(3)], strings.Repeat("s", screen), strings.Repeat("n", n-screen)}
		texts[p] = randomWord(r, 5)
		places = append(places, p)
		p.name += "!"
		places = append(places, p)
	}
	for _, p := range []place{
		{strings.Repeat("l", 500), "s", "n"},
		{"l", strings.Repeat("s", 5000), "n"},
		{"l", "s", strings.Repeat("n", 50000)},
		{strings.Repeat("de-", 100), strings.Repeat("s", 300), strings.Repeat("n", 300)},
	} {
		texts[p] = randomWord(r, 5)
		places = append(places, p, place{p.lang + "-at", p.screen, p.name})
	}
	c := build(texts)
	for _, p := range places {
		check(t, c, texts, p)
		check(t, c, texts, place{"de-at-wien", otherCase(r, p.screen), otherCase(r, p.name)})
	}
}

// The language, the screen, the name or the text is long, or all are. Texts of other such
// keys, different only at one end, are not there.
func TestBeyond(t *testing.T) {
	r := newRand(t)
	long := func(n int) string {
		n = max(n, 1)
		return randomWord(r, 1) + strings.Repeat(randomWord(r, 7), n/7+1)[:n-1]
	}
	try := func(n, kind int) {
		p, text := place{"de", "door", "open"}, randomWord(r, 8)
		switch kind {
		case 0:
			p.lang = strings.ReplaceAll(long(n), "-", "_")
		case 1:
			p.screen = long(n)
		case 2:
			p.name = long(n)
		case 3:
			p = place{strings.ReplaceAll(long(n/3), "-", "_"), long(n / 3), long(n/3 + n%3)}
		case 4:
			p = place{strings.ReplaceAll(long(n), "-", "_"), long(n), long(n)}
		}
		if kind > 0 {
			text = long(n)
		}
		texts := map[place]string{p.small(): text}
		c := build(texts)
		check(t, c, texts, p)
		if n < 1<<20 {
			check(t, c, texts, place{p.lang, p.screen, p.name + "!"})
		}
		if n < 64<<10 {
			check(t, c, texts, place{p.lang + "-x", p.screen, p.name})
			check(t, c, texts, place{p.lang + "!", p.screen + "!", p.name})
		}
	}
	for i, n := range beyond(r) {
		if n >= 1<<20 {
			try(n, 4)
		} else {
			try(n, i%4)
		}
	}
}

func TestRandomInputs(t *testing.T) {
	r := newRand(t)
	for range 50 {
		texts := map[place]string{}
		for range 30 {
			p := randomPlace(r)
			texts[p.small()] = randomWord(r, r.IntN(8))
		}
		c := build(texts)
		for range 100 {
			check(t, c, texts, randomPlace(r))
		}
		for p := range maps.Clone(texts) {
			check(t, c, texts, place{p.lang + "-x", otherCase(r, p.screen), otherCase(r, p.name)})

			// A text may change after it was asked for.
			check(t, c, texts, p)
			texts[p] = randomWord(r, 6)
			c.Add(otherCase(r, p.lang), otherCase(r, p.screen), otherCase(r, p.name), texts[p])
			check(t, c, texts, p)
			check(t, c, texts, place{p.lang + "-x", p.screen, p.name})
		}
	}
}

// randomPlace returns one of few places, so that many are asked for twice, or
// one of many.
func randomPlace(r *rand.Rand) place {
	word := func() string {
		if r.IntN(3) == 0 {
			return randomWord(r, r.IntN(40))
		}
		return randomWord(r, r.IntN(2))
	}
	return place{[]string{"", "de", "de-at", "DE-ch", "fr", "-", word()}[r.IntN(7)], word(), word()}
}

// There may be so many texts that some of their keys have the same hash of 32 bits as keys without a text.
func TestManyTexts(t *testing.T) {
	const many, asked, size = 1 << 17, 1 << 17, 12
	r := newRand(t)
	all := make([]byte, (many+asked)*size)
	for i := 0; i < len(all); i += size {
		bits := r.Uint64()
		for j := range size {
			all[i+j] = byte('a' + bits%16)
			bits /= 16
		}
	}
	names := string(all)
	name := func(i int) string { return names[i*size:][:size] }
	c := wording.New()
	for i := range many {
		c.Add("", "door", name(i), name(i))
	}
	for i := range many + asked {
		want, there := name(i), i < many
		if !there {
			want = ""
		}
		if got, ok := c.Text("", "door", name(i)); got != want || ok != there {
			t.Fatalf("wrong text, among %d\n  lang:   \"\"\n  screen: \"door\"\n  name:   %q\n  got:    %q, %t\n"+
				"  want:   %q, %t", many, name(i), got, ok, want, there)
		}
	}
}

// Keys that have the same hash are still different keys.
func TestCollisions(t *testing.T) {
	for _, pair := range collisions() {
		texts := map[place]string{{"", "", pair[0]}: "first"}
		c := build(texts)
		check(t, c, texts, place{"de", "", pair[1]})
		texts[place{"", "", pair[1]}] = "second"
		c.Add("", "", pair[1], "second")
		check(t, c, texts, place{"de", "", pair[0]})
		check(t, c, texts, place{"de", "", pair[1]})
	}
}

// A caller may change the arguments of Add and Text as soon as they have returned.
// The texts must not change with them.
func TestNothingKept(t *testing.T) {
	r := newRand(t)
	for _, size := range []int{10, 40, 100} {
		c := wording.New()
		lang, screen, name := []byte("de"), letters(r, size), letters(r, size)
		before := place{string(lang), string(screen), string(name)}
		c.Add(inPlace(lang), inPlace(screen), inPlace(name), "first")
		text, ok := c.Text(inPlace(lang), inPlace(screen), inPlace(name))
		for _, b := range [][]byte{lang, screen, name} {
			copy(b, slices.Repeat([]byte("#"), len(b)))
		}
		again, found := c.Text(before.lang, before.screen, before.name)
		if text != "first" || !ok || again != "first" || !found {
			t.Fatalf("wrong text for names of %d+%d bytes, when asked for and after the caller used its bytes again\n"+
				"  got:  %q, %t and %q, %t\n  want: \"first\", true both times",
				size, size, text, ok, again, found)
		}
		if text, ok := c.Text(inPlace(lang), inPlace(screen), inPlace(name)); ok {
			t.Fatalf("a text where nothing was added\n  lang:   %.80q\n  screen: %.80q\n  name:   %.80q\n"+
				"  got:    %q, true\n  want:   \"\", false", lang, screen, name, text)
		}
		again, _ = c.Text(before.lang, before.screen, before.name)
		c.Add(before.lang, before.screen, before.name, "second")
		if text != "first" || again != "first" {
			t.Fatalf("a later Add changed texts that Text had returned\n  got:  %q and %q\n"+
				"  want: \"first\" both times", text, again)
		}
		if text, _ := c.Text(before.lang, before.screen, before.name); text != "second" {
			t.Fatalf("wrong text after it was asked for and a new one was added\n  got:  %q\n  want: \"second\"", text)
		}
	}
}

// Two catalogs have nothing in common.
func TestTwoCatalogs(t *testing.T) {
	one, two := wording.New(), wording.New()
	one.Add("de", "door", "open", "one")
	two.Add("de", "door", "open", "two")
	for range 2 {
		for c, want := range map[*wording.Catalog]string{one: "one", two: "two"} {
			if got, ok := c.Text("de-AT", "Door", "open"); !ok || got != want {
				t.Fatalf("wrong text\n  lang:   %q\n  screen: %q\n  name:   %q\n  got:    %q, %t\n  want:   %q, true",
					"de-AT", "Door", "open", got, ok, want)
			}
		}
	}
}

// Goroutines share what a Catalog keeps from one Text to the next, such as a key. So
// it has to be protected, for example by a Mutex. This test finds out without
// goroutines whether it is.
func TestTurns(t *testing.T) {
	r := newRand(t)
	c := wording.New()
	var places []place
	for range 10 {
		p := randomPlace(r)
		c.Add(p.lang, p.screen, p.name, randomWord(r, 8))
		places = append(places, p, place{p.lang + "-x", otherCase(r, p.screen), p.name}, randomPlace(r))
	}
	before := memoryOf(c).String()
	for _, p := range places {
		c.Text(p.lang, p.screen, p.name)
		if m := memoryOf(c); !m.turns && m.String() != before {
			t.Fatalf("Text changes the Catalog, which goroutines share, and the Catalog has nothing that makes them "+
				"take turns\n  lang:   %q\n  screen: %q\n  name:   %q", p.lang, p.screen, p.name)
		}
	}
}

// Goroutines ask one catalog at once. Their keys are long, so that none is done
// before the next begins.
func TestAtOnce(t *testing.T) {
	r := newRand(t)
	texts := map[place]string{}
	for range 16 {
		p := place{[]string{"", "de", "de-at"}[r.IntN(3)], string(letters(r, 3000)),
			string(letters(r, 3000+r.IntN(20000)))}
		texts[p] = randomWord(r, 8)
	}
	c := build(texts)
	places := slices.Collect(maps.Keys(texts))

	var calls sync.WaitGroup
	start := make(chan struct{})
	rounds := 100
	if runtime.NumCPU() == 1 {
		rounds = 20 // goroutines that take turns do not meet more often in more rounds
	}
	for g := range 4 {
		calls.Go(func() {
			<-start
			for i := range rounds {
				p := places[(g*7+i)%len(places)]
				if got, ok := c.Text(p.lang, p.screen, p.name); !ok || got != texts[p] {
					t.Errorf("wrong text when goroutines call Text at once\n  lang:   %.80q\n  screen: %.80q\n"+
						"  name:   %.80q\n  got:    %q, %t\n  want:   %q, true", p.lang, p.screen, p.name, got, ok,
						texts[p])
					return
				}
			}
		})
	}
	close(start)
	calls.Wait()
}
