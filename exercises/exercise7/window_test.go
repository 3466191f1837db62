package window_test

import (
	"bytes"
	"fmt"
	"runtime"
	"runtime/debug"
	"slices"
	"strings"
	"sync"
	"testing"
	"unsafe"

	"onthestack/exercises/exercise7"
)

const (
	station = "Llanfairpwllgwyngyllgogerychwyrndrobwllllantysiliogogogoch"
	hill    = "Taumatawhakatangihangakoauauotamateaturipukakapikimaungahoronukupokaiwhenuakitanatahu"
)

// check calls Replace and compares everything that its comment promises. output
// holds something already when holds is not empty.
func check(t *testing.T, holds string, data, find, repl []byte) {
	t.Helper()
	const call = "\n  data:   %.80q\n  find:   %.80q\n  repl:   %.80q\n  output: %q before"

	// After each slice lie bytes that are none of Replace's business.
	const behind = "|behind|"
	var args [3][]byte
	var before [3]string
	for i, arg := range [][]byte{data, find, repl} {
		whole := append(bytes.Clone(arg), behind...)
		before[i] = string(whole)
		args[i] = whole[:len(arg)]
	}

	// Part of output is read already; only what is left counts.
	var output bytes.Buffer
	if holds != "" {
		output.WriteString("read " + holds)
		output.Next(len("read "))
	}

	returned := false
	defer func() {
		if !returned {
			t.Errorf("Replace panics"+call, data, find, repl, holds)
		}
	}()
	window.Replace(args[0], args[1], args[2], &output)
	returned = true

	for i, name := range []string{"data", "find", "repl"} {
		whole := args[i][:len(before[i])]
		if string(whole) != before[i] {
			t.Fatalf("Replace changes %s, or bytes after it"+call+"\n  got:    %.80q\n  want:   %.80q",
				name, data, find, repl, holds, whole, before[i])
		}
		// From here on the caller uses the slices for something else.
		for j := range whole {
			whole[j] = '#'
		}
	}

	got, want := output.String(), holds+string(replaced(data, find, repl))
	if got != want {
		at := 0
		for at < min(len(got), len(want)) && got[at] == want[at] {
			at++
		}
		t.Fatalf("wrong output, from byte %d on"+call+
			"\n  got:    %.80q\n  want:   %.80q\n  there:  got %.40q, want %.40q",
			at, data, find, repl, holds, got, want, got[at:], want[at:])
	}
}

func TestReplace(t *testing.T) {
	long := strings.Repeat("go", 50) + "ch"
	for _, test := range []struct{ name, data, find, repl string }{
		{"a departure", "09:17 " + station + " platform 2\n", station, "Llanfairpwll"},
		{"two departures", station + " and " + hill + " and " + station, station, "Llanfairpwll"},
		{"nothing but the name", station, station, "Llanfairpwll"},
		{"the name at the end", "to " + station, station, "Llanfairpwll"},
		{"the name cut off at the end", "to " + station[:57], station, "Llanfairpwll"},
		{"the name, then its beginning", station + station[:30], station, "Llanfairpwll"},
		{"one letter after the name", station + "L", station, "Llanfairpwll"},
		{"the name in other letters", strings.ToLower(station), station, "Llanfairpwll"},
		{"twice without a gap", station + station, station, "Llanfairpwll"},
		{"a beginning of the name before the name", station[:57] + station, station, "Llanfairpwll"},

		{"no data", "", station, "x"},
		{"no data, no find", "", "", "x"},
		{"nothing at all", "", "", ""},
		{"empty find", "abc", "", "x"},
		{"empty repl", "abcabc", "bc", ""},
		{"all replaced by nothing", "abab", "ab", ""},
		{"find longer than data", "ab", "abc", "x"},
		{"find much longer than data", "ab", hill, "x"},
		{"repl longer than find", "a-b-c", "-", hill},
		{"repl is find", "abcabc", "bc", "bc"},
		{"repl contains find", "aba", "a", "aa"},
		{"repl completes no find", "aabb", "ab", ""},
		{"one byte", "a", "a", "x"},
		{"overlap, odd", "aaa", "aa", "x"},
		{"overlap, even", "aaaa", "aa", "x"},
		{"overlap of three", "abababa", "aba", "x"},
		{"find inside a near miss", "aaab", "aab", "x"},
		{"find inside a longer near miss", "abababac", "ababac", "x"},
		{"find inside a long near miss", "go" + long, long, "x"},
		{"near miss at the end", "xaa", "aab", "y"},
		{"bytes of no text", "\x00\xff\x00\x00\xff", "\x00\xff", "\x00"},
	} {
		t.Run(test.name, func(t *testing.T) {
			for _, holds := range []string{"", "kept "} {
				check(t, holds, []byte(test.data), []byte(test.find), []byte(test.repl))
			}
		})
	}
}

// A solution may treat lengths differently, so each one gets its turn.
func TestEveryLength(t *testing.T) {
	r := newRand(t)
	for n := 1; n <= 130; n++ {
		find, repl := randomName(r, n), randomWord(r, 2*n, 3)
		feed := bytes.Join([][]byte{find[1:], find, find[:n-1], find}, nil)
		check(t, "kept ", feed[:len(feed)-r.IntN(2)], find, repl)
	}
}

// Nothing limits a length: find, repl and data get longer than any array that a
// solution might set aside, and than any variable that can be on the stack.
func TestAnyLength(t *testing.T) {
	r := newRand(t)
	for _, n := range lengths(r) {
		passed := t.Run(fmt.Sprintf("find of %d bytes", n), func(t *testing.T) {
			repl := randomLetters(r, r.IntN(n))
			if n > 1<<20 {
				repl = randomLetters(r, n+r.IntN(n/8))
			}

			// Near misses: one byte is another, at the end, or is cut off. Under WebAssembly a longer one would take
			// too long, because Replace goes on from each byte of it.
			if n < 16<<10 {
				find := randomLetters(r, n)
				data := slices.Concat([]byte("--"), find, []byte("-"), find[:n-1], []byte("-"))
				want := slices.Concat([]byte("--"), repl, []byte("-"), find[:n-1], []byte("-"))
				if n < 2000 { // and more of them
					data = slices.Concat(find[:n/2], find, find[1:], data, find, find[:n-1])
					want = slices.Concat(find[:n/2], repl, find[1:], want, repl, find[:n-1])
				}
				compare(t, data, find, repl, want)
			}

			// Find begins within what looked like find: "abab-" is in "ababab-".
			ab := randomLetters(r, 2+r.IntN(5))
			find := append(bytes.Repeat(ab, n/len(ab)), '-')
			compare(t, slices.Concat(ab, find, ab), find, repl, slices.Concat(ab, repl, ab))

			// The same with longer parts: "abac" is in "ababac".
			if n < 16<<10 {
				a, b := randomLetters(r, 1+r.IntN(n/2)), randomLetters(r, 1+r.IntN(n/2))
				find = slices.Concat(a, b, a, []byte("-"))
				compare(t, slices.Concat(a, b, find), find, repl, slices.Concat(a, b, repl))
			}
		})
		if !passed {
			return // longer ones would fail alike
		}
	}
	t.Run("nothing is found", func(t *testing.T) {
		for n := 1; n < 20_000; n *= 2 {
			check(t, "", randomLetters(r, n+r.IntN(n)), randomName(r, anySize(r, 200)), randomName(r, anySize(r, 200)))
		}
	})
	t.Run("long data", func(t *testing.T) {
		find := []byte("abcab")
		data := bytes.Repeat(randomFeed(r, find, 3), 100)
		for len(data) < 1<<14 {
			data = append(append(data, find[:r.IntN(5)]...), randomName(r, 5000)...)
		}
		check(t, "kept ", data, find, randomWord(r, 9, 3))
	})
}

// compare calls Replace and compares what it appends.
func compare(t *testing.T, data, find, repl, want []byte) {
	t.Helper()
	var output bytes.Buffer
	window.Replace(data, find, repl, &output)
	if got := output.Bytes(); !bytes.Equal(got, want) {
		t.Fatalf("wrong output\n  data:   %.80q\n  find:   %.80q\n  repl:   %.80q\n  got:    %.80q\n  want:   %.80q\n"+
			"  sizes:  got %d bytes, want %d",
			data, find, repl, got, want, len(got), len(want))
	}
}

// The slices that Replace only reads may overlap, or be parts of one another.
func TestPartsOfData(t *testing.T) {
	r := newRand(t)
	for range 300 {
		data := randomFeed(r, randomWord(r, 6, 2), 2)
		part := func() []byte {
			from := r.IntN(len(data) + 1)
			return data[from : from+r.IntN(len(data)-from+1)]
		}
		find, repl := part(), part()
		want := replaced(data, find, repl)
		var output bytes.Buffer
		window.Replace(data, find, repl, &output)
		if !bytes.Equal(output.Bytes(), want) {
			t.Fatalf("wrong output where find and repl are parts of data\n  data:   %.80q\n  find:   %.80q\n"+
				"  repl:   %.80q\n  got:    %.80q\n  want:   %.80q",
				data, find, repl, output.Bytes(), want)
		}
	}
}

// Goroutines share data, find and repl, so not even a change that is taken back is
// allowed. Here the three are parts of a constant, of any length. A program that is not
// WebAssembly has it in memory that cannot be written to.
func TestOnlyReads(t *testing.T) {
	r := newRand(t)
	const (
		few      = "to " + station + " and " + hill + " and Llanfairpwllgwyngyll or " + station + "\n"
		some     = few + few + few + few + few + few + few + few
		many     = some + some + some + some + some + some + some + some
		constant = many + many + many + many
	)
	part := func(most int) []byte {
		n := anySize(r, most)
		return unsafe.Slice(unsafe.StringData(constant[r.IntN(len(constant)-n):]), n)
	}
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
	for i := range 60 {
		data, find, repl := part(40_000), part(2_000), part(2_000)
		if i%2 == 0 && len(find) > 1 {
			data = data[:min(len(data), 4_000)] // it takes long to move a large window letter by letter
			find = data[r.IntN(len(data)):]
		}
		func() {
			defer func() {
				if p := recover(); p != nil {
					t.Errorf("Replace panics where it may only read: it writes to data, find or repl\n"+
						"  data:   %.80q, %d bytes\n  find:   %.80q, %d bytes\n  repl:   %d bytes\n  panic:  %v",
						data, len(data), find, len(find), len(repl), p)
				}
			}()
			compare(t, data, find, repl, replaced(data, find, repl))
		}()
	}
}

func TestRandomInputs(t *testing.T) {
	r := newRand(t)
	for i := range 500 {
		alphabet := 1 + r.IntN(3)
		find := randomWord(r, 6, alphabet)
		if i%10 == 0 {
			find = randomName(r, 33+r.IntN(40))
		}
		holds := []string{"", "kept "}[r.IntN(2)]
		check(t, holds, randomFeed(r, find, alphabet), find, randomWord(r, 8, alphabet))
	}
}

// The same slices with other contents are another input.
func TestSameSlicesAgain(t *testing.T) {
	r := newRand(t)
	data, find, repl := make([]byte, 200), make([]byte, 40), make([]byte, 10)
	var output bytes.Buffer
	for range 10 {
		copy(find, randomName(r, len(find)))
		copy(repl, randomName(r, len(repl)))
		copy(data, randomName(r, len(data)))
		copy(data[r.IntN(60):], find)
		copy(data[100+r.IntN(60):], find)

		output.Reset()
		window.Replace(data, find, repl, &output)
		if want := replaced(data, find, repl); !bytes.Equal(output.Bytes(), want) {
			t.Fatalf("wrong output for slices that were used before, with other contents\n  data:   %.80q\n"+
				"  find:   %.80q\n  repl:   %.80q\n  got:    %.80q\n  want:   %.80q",
				data, find, repl, output.Bytes(), want)
		}
	}
}

// Calls at the same time share data, find and repl with one of the others.
func TestAtOnce(t *testing.T) {
	r := newRand(t)
	var calls sync.WaitGroup
	start := make(chan struct{})
	rounds := 20
	if runtime.NumCPU() == 1 {
		rounds = 2 // goroutines that take turns do not meet more often in more rounds
	}
	for range 4 {
		find, repl := randomName(r, 33+r.IntN(60)), randomName(r, 1+r.IntN(20))
		var data []byte
		for range 8 {
			data = append(data, find[1:]...)
			data = append(data, find...)
			data = append(data, randomName(r, r.IntN(80))...)
		}
		want := replaced(data, find, repl)
		for range 2 {
			calls.Go(func() {
				var output bytes.Buffer
				<-start
				for range rounds {
					output.Reset()
					window.Replace(data, find, repl, &output)
					if got := output.Bytes(); !bytes.Equal(got, want) {
						t.Errorf("wrong output when goroutines call Replace at once\n  data:   %.80q\n"+
							"  find:   %.80q\n  repl:   %.80q\n  got:    %.80q\n  want:   %.80q",
							data, find, repl, got, want)
						return
					}
				}
			})
		}
	}
	close(start)
	calls.Wait()
}
