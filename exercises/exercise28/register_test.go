package guest_test

import (
	"strconv"
	"strings"
	"sync"
	"testing"
	"unicode"
	"unicode/utf8"

	"onthestack/exercises/exercise28"
)

// A book is a register beside the guests that it is compared with.
type book struct {
	register guest.Register
	guests   map[string]guest.Guest // by strings.ToLower of their names
}

// add adds a guest to both.
func (b *book) add(t *testing.T, name string, bed int) {
	t.Helper()
	lower := strings.ToLower(name)
	_, taken := b.guests[lower]
	want := !taken && len(lower) <= 64
	g := guest.Guest{Name: name, Bed: bed}
	if got := b.register.Add(g); got != want {
		t.Fatalf("wrong result of Add\n  name: %.80q, %d bytes, in lower case %d\n  got:  %v\n  want: %v", name, len(name),
			len(lower), got, want)
	}
	if want {
		if b.guests == nil {
			b.guests = map[string]guest.Guest{}
		}
		b.guests[lower] = g
	}
}

// find compares what Find returns.
func (b *book) find(t *testing.T, name string) {
	t.Helper()
	got, ok := b.register.Find(name)
	if want, known := b.guests[strings.ToLower(name)]; got != want || ok != known {
		t.Fatalf("wrong guest\n  name:  %.80q, %d bytes\n  lower: %.80q\n  got:   %.80q in bed %d, %v\n"+
			"  want:  %.80q in bed %d, %v", name, len(name), strings.ToLower(name), got.Name, got.Bed, ok, want.Name,
			want.Bed, known)
	}
}

func TestFind(t *testing.T) {
	var b book
	for i, name := range []string{
		"Maria.Southquay", "MARIA", "silvia", "", "k", "s", "i", "ß", "É", "ς", "Σ", "\ufffd", "Å", "@", "[", "z{", "\x00",
		"maria.SOUTHQUAY", "K", "Ⱥ", "x\xff",
	} {
		b.add(t, name, i)
	}
	for _, name := range []string{
		"Maria.Southquay", "maria.southquay", "MARIA.SOUTHQUAY", "mARIA.sOUTHQUAY", "maria", "Maria", "Mari", "Marias",
		"Silvia", " silvia", "silvia ", "", " ", "K", "\u212a", "S", "ſ", "I", "İ", "ı", "ẞ", "ß", "SS", "é", "É", "e\u0301",
		"σ", "ς", "Σ", "\xff", "\x80", "\xfe\xfe", "\ufffd", "\u212b", "å", "`", "@", "{", "[", "Z[", "Z{", "\x00", "\x20", "ⱥ", "Ⱥ",
		"X\xfe", "X\x80", "X\ufffd", "maria\x00", "Maria.Southqua\u0059", "Maria.Southqua",
	} {
		b.find(t, name)
	}
}

func TestEmpty(t *testing.T) {
	var b book
	for _, name := range []string{"", "maria", "É", strings.Repeat("x", 100)} {
		b.find(t, name)
	}
}

// Each ASCII byte is the same as its lower case only, alone and beside others.
func TestEveryByte(t *testing.T) {
	for c := range byte(utf8.RuneSelf) {
		var b book
		b.add(t, string(c), int(c))
		b.add(t, "ab"+string(c)+"yz", int(c))
		for d := range byte(utf8.RuneSelf) {
			b.find(t, string(d))
			b.find(t, "AB"+string(d)+"Yz")
		}
	}
}

// Every letter that has a case, or is the lower case of one, finds the guests that it should.
func TestEveryLetter(t *testing.T) {
	var letters []rune
	for c := range rune(unicode.MaxRune) {
		if unicode.SimpleFold(c) != c || unicode.ToLower(c) != c {
			letters = append(letters, c)
		}
	}
	var b book
	for i, c := range letters {
		if unicode.ToLower(c) == c {
			b.add(t, "a"+string(c), i)
		}
	}
	for _, c := range letters {
		b.find(t, "A"+string(c))
		b.find(t, string(c))
	}
}

func TestRandomNames(t *testing.T) {
	r := newRand(t)
	for range 60 {
		var b book
		letters := ascii
		if r.IntN(2) == 0 {
			letters = mixed
		}
		var names []string
		for bed := range 1 + r.IntN(60) {
			names = append(names, newName(r, letters, r.IntN(10)*r.IntN(10)))
			b.add(t, names[bed], bed)
		}
		for range 200 {
			name := names[r.IntN(len(names))]
			b.find(t, name)
			b.find(t, otherCase(r, name))
			b.find(t, strings.ToUpper(name))
			b.find(t, strings.ToLower(name))
			b.find(t, newName(r, letters, r.IntN(4)))
		}
	}
}

// Names that are equal in a sum of their bytes, each multiplied by a power of n, are different names.
func TestEqualSums(t *testing.T) {
	for n := 1; n <= 120; n++ {
		last := byte('@')
		if n > '@' {
			last = 0x7f
		}
		one, other := "a"+string(rune(last)), "b"+string(rune(last-byte(n)))
		var b book
		b.add(t, one, 1)
		b.find(t, other)
		b.add(t, other, 2)
		b.find(t, one)
		b.find(t, other)
	}
}

// Names of every length, whose guests are found, and not another one whose name begins or
// ends alike.
func TestEveryLength(t *testing.T) {
	r := newRand(t)
	for n := range 200 {
		var b book
		name := newName(r, ascii, n)
		for i, name := range []string{name, name + "!", "!" + name, name + "Y", name + "\xc3\x89", name + "\xff"} {
			b.add(t, name, i)
		}
		for _, other := range []string{
			name, name + "!", "!" + name, name + "y", name + "é", name + "É", name + "\xfe", name + name, name + "!!",
			name + "\u212a",
		} {
			b.find(t, other)
			b.find(t, otherCase(r, other))
		}
	}
}

// A name counts as it is in lower case, also if it is longer or shorter than that.
func TestOtherLength(t *testing.T) {
	for n := 15; n <= 200; n++ {
		var b book
		kelvins, a := strings.Repeat("\u212a", n), strings.Repeat("Ⱥ", n)
		b.add(t, kelvins, 1)
		b.add(t, a, 2)
		b.add(t, kelvins[3:]+"s", 3)
		for _, name := range []string{
			kelvins, strings.Repeat("k", n), strings.Repeat("K", n), strings.Repeat("K", n-1) + "\u212a",
			"\u212a" + strings.Repeat("k", n-1), strings.Repeat("k", n+1), strings.Repeat("k", n-1), a,
			strings.Repeat("ⱥ", n), strings.Repeat("Ⱥ", n-1), kelvins[3:] + "S", kelvins[3:] + "ſ",
		} {
			b.find(t, name)
		}
	}
}

// Names that are far too long.
func TestLongNames(t *testing.T) {
	r := newRand(t)
	for n := 64; n <= 1<<20; n *= 4 {
		var b book
		first := newName(r, ascii, 64)
		b.add(t, first, 1)
		b.add(t, "x", 2)
		long := first + strings.Repeat("x", n+r.IntN(n)-64)
		for _, name := range []string{long, long + "É", "\u212a" + long, strings.Repeat("X", len(long)), long + "!"} {
			b.find(t, name)
			b.find(t, first)
		}
		b.add(t, long+"!", 3)
		b.find(t, long+"!")
	}
}

// Names that look alike: they have the same letters, or the same hash.
func TestAlike(t *testing.T) {
	words := [2]string{"a", "b"}
	for len(words[0]) < 64 {
		words[0], words[1] = words[0]+words[1], words[1]+words[0]
	}
	for _, pair := range [][2]string{
		{"north", "thorn"}, {"aaaabb", "bbaaaa"}, {"costarring", "liquid"}, {"plumless", "buckeroo"},
		{"hetairas", "mentioner"}, {"\x00a", "a"}, {"a\x00", "a"}, {"8yn0iyckyhlij4-bwpqk", "grelurm4wmqfg9yzv3kq"}, words,
		{"a", "a "}, {"l", "1"}, {"a", "а"},
	} {
		for _, known := range pair {
			var b book
			b.add(t, known, 1)
			for _, name := range pair {
				b.find(t, name)
				b.find(t, strings.ToUpper(name))
			}
		}
	}
}

// There is no limit to the guests.
func TestManyGuests(t *testing.T) {
	const many = 20_000
	b := book{guests: make(map[string]guest.Guest, many)}
	for bed := range many {
		b.add(t, "Guest"+strconv.Itoa(bed), bed)
	}
	for bed := range many + 10 {
		b.find(t, "GUEST"+strconv.Itoa(bed))
	}
}

// Each register has guests of its own. The names are ASCII, so that this test fails for nothing else.
func TestTwoRegisters(t *testing.T) {
	r := newRand(t)
	var books [2]book
	for i := range 300 {
		name := newName(r, ascii, 8)
		books[r.IntN(2)].add(t, name, i)
		books[0].find(t, name)
		books[1].find(t, name)
	}
}

// Find keeps nothing, whatever is looked for, and a guest costs little more than the name.
func TestMemory(t *testing.T) {
	r := newRand(t)
	const guests = 50
	got := kept(4, func() *guest.Register {
		register := new(guest.Register)
		for bed := range guests {
			register.Add(guest.Guest{Name: "Guest " + strconv.Itoa(bed), Bed: bed})
		}
		for i := range 10_000 {
			register.Find(otherCase(r, "Guest "+strconv.Itoa(i%(2*guests))))
			register.Find(newName(r, mixed, 40))
			if i%100 == 0 {
				register.Find("Guest" + strings.Repeat("x", newSize(r, 1<<17)))
			}
		}
		return register
	})
	if want := 8<<10 + guests*512; got > want {
		t.Errorf("a register keeps more than its guests\n  guests: %d\n  got:    %d bytes\n  want:   at most %d bytes", guests,
			got, want)
	}
}

// Handlers look for different guests at the same time.
func TestAtOnce(t *testing.T) {
	r := newRand(t)
	var b book
	var names [8][]string
	for i := range names {
		for j := range 20 {
			name := newName(r, ascii, 3*j) + string(rune('a'+i))
			b.add(t, name, 100*i+j)
			names[i] = append(names[i], otherCase(r, name), name+"É")
		}
	}
	var handlers sync.WaitGroup
	for _, names := range names {
		handlers.Go(func() {
			for range 200 {
				for _, name := range names {
					got, ok := b.register.Find(name)
					if want, known := b.guests[strings.ToLower(name)]; got != want || ok != known {
						t.Errorf("wrong guest when handlers look at the same time\n  name: %q\n  got:  %q in bed %d, %v\n"+
							"  want: %q in bed %d, %v", name, got.Name, got.Bed, ok, want.Name, want.Bed, known)
						return
					}
				}
			}
		})
	}
	handlers.Wait()
}
