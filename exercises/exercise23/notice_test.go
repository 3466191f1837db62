package notice_test

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"
	"unsafe"
	"weak"

	"onthestack/exercises/exercise23"
)

// check fills a template and compares everything that the comments promise.
func check(t *testing.T, screen *notice.Screen, zone *time.Location, template string, values []any) string {
	t.Helper()
	// After a text lie bytes that are none of Fill's business.
	given, before := slices.Clone(values), slices.Clone(values)
	for i, v := range values {
		if text, ok := v.([]byte); ok && text != nil {
			given[i] = append(slices.Clone(text), "|behind|"...)[:len(text)]
		}
	}
	copied := slices.Clone(given)
	got, err := screen.Fill(template, given)
	if want := noticeOf(zone, template, before); err != nil || got != want {
		from := 0
		for from < min(len(got), len(want)) && got[from] == want[from] {
			from++
		}
		shown := max(0, from-20)
		t.Fatalf("wrong notice, from byte %d on, shown from byte %d on\n  template: %.200q\n  values:   %.300q\n"+
			"  got:      %.200q, error %v\n  want:     %.200q, error <nil>", from, shown, template, before,
			got[min(shown, len(got)):], err, want[shown:])
	}
	for i, v := range copied {
		text, ok := v.([]byte)
		if !ok {
			continue
		}
		if want := before[i].([]byte); !bytes.Equal(text, want) ||
			text != nil && string(text[len(text):][:len("|behind|")]) != "|behind|" {
			t.Fatalf("Fill changes the bytes of a value, or bytes after them\n  got:  %.300q\n  want: %.300q", text, want)
		}
		// From here on the caller uses the slice for something else.
		for i := range text {
			text[i] = '#'
		}
	}
	return got
}

func TestFill(t *testing.T) {
	zone := time.FixedZone("", 3600)
	screen := notice.New(io.Discard, zone)
	morning := time.Date(2030, 5, 16, 6, 45, 59, 999999999, time.UTC)
	for _, test := range []struct {
		template string
		values   []any
		want     string
	}{
		{"", nil, ""},
		{"<b>closed & empty</b>", nil, "<b>closed & empty</b>"},
		{"{}", []any{"a"}, "a"},
		{"{}{}", []any{"a", "b"}, "ab"},
		{"{{}}", []any{"a"}, "{a}"},
		{"{ } {}} {", []any{"a"}, "{ } a} {"},
		{"<p>{} leaves at {}</p>", []any{"Aurora & Bore", morning}, "<p>Aurora &amp; Bore leaves at Thu 07:45</p>"},
		{"{} {}", []any{"{}", "b"}, "{} b"},
		{"{}", []any{`&<>"'&amp;`}, `&amp;&lt;&gt;&quot;'&amp;amp;`},
		{"{}", []any{[]byte(`&<>"'&amp;`)}, `&amp;&lt;&gt;&quot;'&amp;amp;`},
		{"{}|{}|{}", []any{"", []byte{}, []byte(nil)}, "||"},
		{"{}", []any{"é世\xff\x00"}, "é世\xff\x00"},
		{"{} {}", []any{nil, time.Time{}}, "&mdash; &mdash;"},
		{"{}", []any{time.Time{}.In(zone)}, "&mdash;"},
		{"{}", []any{time.Time{}.Add(1)}, "Mon 01:00"},
		{"{} {}", []any{true, false}, "yes no"},
		{"{} {} {}", []any{int64(0), int64(-1 << 63), int64(1<<63 - 1)}, "0 -9223372036854775808 9223372036854775807"},
		{"{} {} {} {}", []any{0.05, 2.25, -0.04, 1e21}, "0.1 2.2 -0.0 1000000000000000000000.0"},
	} {
		got, err := screen.Fill(test.template, test.values)
		if err != nil || got != test.want {
			t.Errorf("wrong notice\n  template: %q\n  values:   %q\n  got:      %q, error %v\n  want:     %q, error <nil>",
				test.template, test.values, got, err, test.want)
		}
	}
}

func TestRandomNotices(t *testing.T) {
	r := newRand(t)
	for _, zone := range zones {
		screen := notice.New(io.Discard, zone)
		for range 100 {
			template := randomText(r, r.IntN(60))
			for range r.IntN(9) {
				template += "{}" + randomText(r, r.IntN(20))
			}
			values := make([]any, strings.Count(template, "{}"))
			for i := range values {
				values[i] = randomValue(r, r.IntN(70))
			}
			check(t, screen, zone, template, values)
		}
	}
}

// Every byte, alone and among others.
func TestEveryByte(t *testing.T) {
	screen := notice.New(io.Discard, time.UTC)
	for c := range 256 {
		text := string([]byte{byte(c)})
		for _, text := range []string{text, text + text, "ab" + text + "cd", strings.Repeat("x", 40) + text} {
			check(t, screen, time.UTC, "{} {}", []any{text, []byte(text)})
		}
	}
}

// A solution may treat lengths differently, so each order of magnitude gets its turn.
func TestEveryLength(t *testing.T) {
	r := newRand(t)
	screen := notice.New(io.Discard, time.UTC)
	for n := 1; n <= 1<<20; n *= 2 {
		text := strings.Repeat("x", n+r.IntN(n))
		check(t, screen, time.UTC, "{}", []any{text})
		check(t, screen, time.UTC, "{}", []any{[]byte(text + "<")})
		check(t, screen, time.UTC, text+"{}"+text, []any{int64(n)})
		if n <= 32<<10 {
			check(t, screen, time.UTC, strings.Repeat("{}", n), slices.Repeat([]any{"&"}, n))
		}
	}
}

// The caller fills the same template from the same slice again, in which something else is now.
func TestSameSlice(t *testing.T) {
	screen := notice.New(io.Discard, time.UTC)
	text := []byte("text")
	values := []any{text, int64(1), "a"}
	for i := range 20 {
		text[i%len(text)]++
		values[1], values[2] = int64(i), strings.Repeat("a", i)
		got, err := screen.Fill("{} {} {}", values)
		if want := noticeOf(time.UTC, "{} {} {}", values); err != nil || got != want {
			t.Fatalf("wrong notice when the values have changed\n  got:  %q, error %v\n  want: %q, error <nil>", got, err, want)
		}
	}
}

func TestErrors(t *testing.T) {
	type name string
	at := time.Now()
	screen := notice.New(io.Discard, time.UTC)
	for _, test := range []struct {
		template string
		values   []any
	}{
		{"", []any{"a"}},
		{"{}", nil},
		{"{} {}", []any{"a"}},
		{"{}", []any{"a", "b"}},
		{"{} {} {}", []any{"{}", "{}"}},
		{"{}", []any{1}},
		{"{}", []any{int32(1)}},
		{"{}", []any{uint64(1)}},
		{"{}", []any{float32(1)}},
		{"{}", []any{name("a")}},
		{"{}", []any{[]string{"a"}}},
		{"{}", []any{&at}},
		{"{} {}", []any{"a", errors.New("b")}},
		{"{} {}", []any{struct{}{}, "b"}},
	} {
		if got, err := screen.Fill(test.template, test.values); err == nil {
			t.Errorf("no error\n  template: %q\n  values:   %#v\n  got:      %q, error <nil>\n  want:     an error",
				test.template, test.values, got)
		}
		check(t, screen, time.UTC, "after an error: {}", []any{"a"})
	}
}

// A notice is the caller's: nothing that comes later changes it, though much longer ones follow.
func TestEarlierNotices(t *testing.T) {
	r := newRand(t)
	screen := notice.New(io.Discard, time.UTC)
	var notices, copies []string
	for i := range 150 {
		f := newFilling(r, anySize(r, 64<<10))
		text := check(t, screen, time.UTC, f.template, f.values)
		if i%2 == 0 {
			text = show(t, screen, f.template, f.values)
		}
		notices, copies = append(notices, text), append(copies, strings.Clone(text))
		screen.Fill("{} {}", []any{"an error", 1})
	}
	for i := range notices {
		if notices[i] != copies[i] {
			t.Fatalf("notice %d of %d was changed by a later call\n  got:  %.200q\n  want: %.200q",
				i, len(notices), notices[i], copies[i])
		}
	}
}

type refusing struct{}

var errRefused = errors.New("refused")

func (refusing) Write([]byte) (int, error) { return 0, errRefused }

// A counter counts the calls of Write.
type counter struct {
	bytes.Buffer
	writes int
}

func (c *counter) Write(p []byte) (int, error) {
	c.writes++
	return c.Buffer.Write(p)
}

func TestShow(t *testing.T) {
	var sent counter
	screen := notice.New(&sent, time.UTC)
	for i, text := range []string{"x", strings.Repeat("long ", 3000), "", strings.Repeat("longer ", 160_000), "short"} {
		sent.Reset()
		show(t, screen, "{}", []any{text})
		if want := fmt.Sprintf("%d %s", len(text), text); sent.String() != want || sent.writes != i+1 {
			t.Errorf("wrong bytes sent\n  notice: %.80q\n  got:    %.80q, in %d calls of Write\n  want:   %.80q, in one",
				text, sent.String(), sent.writes-i, want)
		}
	}
	if err := notice.New(refusing{}, time.UTC).Show("x"); err != errRefused {
		t.Errorf("wrong error when the Write fails\n  got:  %v\n  want: %v", err, errRefused)
	}
}

func heap() int {
	runtime.GC()
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int(m.HeapAlloc)
}

// A Screen keeps no more than a buffer for its longest notice, and a notice no more than its own bytes.
func TestStaysSmall(t *testing.T) {
	const count, rounds, limit = 30, 200, 8 << 10
	values := newValues(newRand(t))
	screens := make([]*notice.Screen, count)
	notices := make([]string, 0, count*rounds)
	before := heap()
	for range rounds {
		for i := range screens {
			if screens[i] == nil {
				screens[i] = notice.New(io.Discard, time.UTC)
			}
			text := show(t, screens[i], template, values)
			if len(notices) < count {
				notices = append(notices, text)
			}
		}
	}
	if each := (heap() - before) / count; each > limit {
		t.Errorf("each Screen takes too much, with one notice that is kept\n  got:  %d bytes\n  want: %d at most", each,
			limit)
	}
	clear(screens)
	notices = notices[:0]
	screen := notice.New(io.Discard, time.UTC)
	before = heap()
	for range cap(notices) {
		notices = append(notices, show(t, screen, template, values))
	}
	if each := (heap() - before) / cap(notices); each > 2*len(notices[0]) {
		t.Errorf("each notice that is kept takes too much\n  got:  %d bytes\n  want: %d at most", each, 2*len(notices[0]))
	}
	runtime.KeepAlive(screens)
}

// The Screen lives on, the values of its notices do not. Texts are small parts of large ones.
func TestKeepsNothing(t *testing.T) {
	r := newRand(t)
	screen := notice.New(io.Discard, time.UTC)
	for _, n := range []int{1 + r.IntN(31), 32 + r.IntN(96), 1000 + r.IntN(2000)} {
		values, parts := fillNew(t, screen, n)
		for range 3 {
			runtime.GC()
		}
		if values.Value() != nil {
			t.Errorf("the Screen keeps the values of a notice")
		}
		for i, part := range parts {
			if part.Value() != nil {
				t.Errorf("the Screen keeps a %s of %d bytes", []string{"string", "[]byte"}[i], n)
			}
		}
	}
	fillNew(t, screen, 1) // so the Screen was alive all along
}

// fillNew fills a notice, and returns pointers to its values and to the memory of their texts that do not keep
// them alive.
//
//go:noinline
func fillNew(t *testing.T, screen *notice.Screen, n int) (weak.Pointer[any], [2]weak.Pointer[byte]) {
	var texts [2][]byte
	var parts [2]weak.Pointer[byte]
	for i := range texts {
		large := make([]byte, 8<<10)
		texts[i], parts[i] = large[1<<10:][:n], weak.Make(&large[0])
	}
	values := []any{unsafe.String(&texts[0][0], n), texts[1]}
	show(t, screen, "{} {}", values)
	return weak.Make(&values[0]), parts
}
