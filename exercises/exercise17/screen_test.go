package wording_test

import (
	"fmt"
	"math/rand/v2"
	"os"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"testing"
	"unsafe"

	"onthestack/exercises/exercise17"
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

// A place is where a text belongs.
type place struct{ lang, screen, name string }

// small returns p in small letters.
func (p place) small() place {
	return place{lowered(p.lang), lowered(p.screen), lowered(p.name)}
}

// lowered returns s with small letters for A to Z, and nothing else changed.
func lowered(s string) string { return lowering.Replace(s) }

var lowering = strings.NewReplacer(strings.Split("A a B b C c D d E e F f G g H h I i J j K k L l M m "+
	"N n O o P p Q q R r S s T t U u V v W w X x Y y Z z", " ")...)

// find returns what Text must find, by other means.
func find(texts map[place]string, p place) (string, bool) {
	p = p.small()
	for {
		if text, ok := texts[p]; ok || p.lang == "" {
			return text, ok
		}
		p.lang = p.lang[:max(strings.LastIndex(p.lang, "-"), 0)]
	}
}

// randomWord returns n characters, capitals and others that are no letters
// among them.
func randomWord(r *rand.Rand, n int) string {
	const characters = "abcxyzABCXYZ09-_.@[`{ é"
	word := make([]byte, n)
	for i := range word {
		word[i] = characters[r.IntN(len(characters))]
	}
	return string(word)
}

// otherCase returns s with some of its letters A to Z, a to z in the other case.
func otherCase(r *rand.Rand, s string) string {
	b := []byte(s)
	for i, c := range b {
		if 'a' <= c|0x20 && c|0x20 <= 'z' && r.IntN(2) == 0 {
			b[i] ^= 0x20
		}
	}
	return string(b)
}

// beyond returns lengths that no constant covers: for each power of two up to
// 128 KiB, where variables leave the stack, one more than it and one drawn up to
// its double, and at the end one that is drawn, too, of more than 1 MiB.
func beyond(r *rand.Rand) []int {
	var lengths []int
	for n := 1; n <= 128<<10; n *= 2 {
		lengths = append(lengths, n+1, n+r.IntN(n))
	}
	return append(lengths, 1<<20+1+r.IntN(1<<16))
}

// collisions are names, all different, of which the two of a pair have keys with the same hash: by a sum or an
// exclusive or of the bytes, or by any polynomial of 64 bits, as Java's and Bernstein's are of 31 and 33.
func collisions() [][2]string {
	// The sequence of Thue and Morse and its opposite differ by a product of powers of the factor, and the product
	// is divisible by 2^64, whatever the factor.
	thue := "ab"
	for len(thue) < 2048 {
		thue += strings.NewReplacer("a", "b", "b", "a").Replace(thue)
	}
	return [][2]string{{"screw", "wrecs"}, {"bolt ab", "bolt ba"}, {thue[:1024], thue[1024:]}}
}

// A memory says what is in a value and in everything that it leads to.
type memory struct {
	strings.Builder
	turns bool // there is a lock or a channel, with which goroutines can take turns
}

func memoryOf(pointer any) *memory {
	m := &memory{}
	m.add(reflect.ValueOf(pointer), map[any]bool{})
	return m
}

func (m *memory) add(v reflect.Value, seen map[any]bool) {
	type place struct {
		kind    reflect.Type
		address uintptr
	}
	switch {
	case m.turns:
		return // what else there is does not matter then
	case v.Kind() == reflect.Chan, strings.HasPrefix(v.Type().PkgPath(), "sync"):
		m.turns = true
		return
	case v.Kind() == reflect.Pointer || v.Kind() == reflect.Slice:
		fmt.Fprintf(m, "%#x ", v.Pointer())
		if at := (place{v.Type(), v.Pointer()}); v.IsNil() || seen[at] {
			return
		} else {
			seen[at] = true
		}
	}
	switch v.Kind() {
	case reflect.Pointer, reflect.Interface:
		if !v.IsNil() {
			m.add(v.Elem(), seen)
		}
	case reflect.Struct:
		for i := range v.NumField() {
			m.add(v.Field(i), seen)
		}
	case reflect.Slice:
		fmt.Fprintf(m, "%d ", v.Len())
		if v.Type().Elem().Kind() == reflect.Uint8 {
			m.Write(v.Slice(0, v.Cap()).Bytes()) // one by one, a megabyte would take seconds
			return
		}
		for i := range v.Cap() {
			m.add(v.Slice(0, v.Cap()).Index(i), seen)
		}
	case reflect.Array:
		for i := range v.Len() {
			m.add(v.Index(i), seen)
		}
	case reflect.Map:
		var entries []string
		for all := v.MapRange(); all.Next(); {
			entry := &memory{}
			entry.add(all.Key(), seen)
			entry.add(all.Value(), seen)
			entries = append(entries, entry.String())
			m.turns = m.turns || entry.turns
		}
		slices.Sort(entries)
		fmt.Fprintf(m, "%q ", entries)
	default:
		fmt.Fprintf(m, "%v ", v)
	}
}

// A question asks for a text in ever other capitals.
type question struct {
	lang, screen, name []byte
	want               string
	missing            bool // there is no text
}

// newOther returns a question with a key of that size, and adds its text to c: in the
// language that is asked for, in a wider one, in none, or none at all.
func newOther(r *rand.Rand, c *wording.Catalog, size int) question {
	languages := []string{"", "f", "fr", "fr-ca", "fr-ca-montreal"}
	lang := languages[r.IntN(len(languages))]
	rest := size - len(lang) - len("//")
	if rest < 0 {
		lang, rest = "", size-len("//")
	}
	both, screen := letters(r, rest), r.IntN(rest+1)
	if rest > 0 {
		both[0] = byte('a' + size%26) // short ones differ here
	}
	q := question{lang: []byte(lang), screen: both[:screen:screen], name: both[screen:]}
	if rest == 0 || r.IntN(4) == 0 {
		q.missing = true
		return q
	}
	for found := lang; ; found = found[:max(strings.LastIndex(found, "-"), 0)] {
		if found == "" || r.IntN(2) == 0 {
			q.want = string(letters(r, 12))
			c.Add(found, string(q.screen), string(q.name), q.want)
			return q
		}
	}
}

// letters returns n random small letters.
func letters(r *rand.Rand, n int) []byte {
	word := make([]byte, n)
	for i := range word {
		word[i] = byte('a' + r.IntN(26))
	}
	return word
}

// capitals gives the question's screen and name the capitals that the bits of
// clock say. It allocates nothing.
func (q *question) capitals(clock uint64) {
	for _, word := range [...][]byte{q.screen, q.name} {
		for i := range word {
			word[i] = word[i]&^0x20 | byte(clock&1)<<5
			clock = clock>>1 | clock<<63 // round and round
		}
	}
}

// inPlace returns a string over b's own bytes. Text may use it until it returns.
func inPlace(b []byte) string { return unsafe.String(unsafe.SliceData(b), len(b)) }
