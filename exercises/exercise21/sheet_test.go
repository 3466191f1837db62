package sheet_test

import (
	"runtime"
	"runtime/debug"
	"slices"
	"strings"
	"testing"
	"unsafe"
	"weak"

	"onthestack/exercises/exercise21"
)

// check appends a text as a string and as bytes, to rows with and without room for it, and
// compares everything that the comments promise.
func check(t *testing.T, before, text string) {
	t.Helper()
	cell := cellOf(text)
	if before != "" {
		cell = "," + cell
	}
	rooms := []int{0, 1, len(cell) - 1, len(cell), len(cell) + 7}
	if len(before)+len(cell) > 8<<10 {
		rooms = []int{0, len(cell) + 7} // all of them would take long under WebAssembly
	}
	for _, room := range rooms {
		for _, kind := range []string{"string", "[]byte"} {
			const call = "\n  row:    %.80q\n  text:   %.80q, a %s"
			row := append(make([]byte, 0, len(before)+room), before...)
			behind := row[len(row):cap(row)]
			for i := range behind {
				behind[i] = '#'
			}
			var got []byte
			if kind == "string" {
				got = sheet.AppendString(row, text)
			} else {
				// After the text lie bytes that are none of AppendBytes's business.
				given := append([]byte(text), "|behind|"...)
				got = sheet.AppendBytes(row, given[:len(text)])
				if string(given) != text+"|behind|" {
					t.Fatalf("AppendBytes changes the text or bytes after it"+call+"\n  got:    %.300q\n"+
						"  want:   %.300q", before, text, kind, given, text+"|behind|")
				}
				// From here on the caller uses the slice for something else.
				for i := range given {
					given[i] = '#'
				}
			}
			if want := before + cell; string(got) != want {
				from := 0
				for from < min(len(got), len(want)) && got[from] == want[from] {
					from++
				}
				shown := max(0, from-20)
				t.Fatalf("wrong row, from byte %d on, shown from byte %d on"+call+"\n  got:    %.300q\n"+
					"  want:   %.300q", from, shown, before, text, kind, got[shown:], want[shown:])
			}
			if string(row) != before {
				t.Fatalf("the row as it was before is changed"+call+"\n  got:    %.80q\n  want:   %.80q",
					before, text, kind, row, before)
			}
			if room >= len(cell) && &got[0] != &row[:1][0] {
				t.Fatalf("the row has room for the cell, but the cell is elsewhere"+call, before, text, kind)
			}
			if rest := behind[min(len(cell), len(behind)):]; room > len(cell) && strings.Trim(string(rest), "#") != "" {
				t.Fatalf("bytes of the row's array after the cell are changed"+call+"\n  got:    %q\n  want:   %q",
					before, text, kind, rest, strings.Repeat("#", len(rest)))
			}
		}
	}
}

func TestCells(t *testing.T) {
	for _, test := range []struct{ row, text, want string }{
		{"", "", `""`},
		{"", "a", "a"},
		{"a", "b", "a,b"},
		{"a", "", `a,""`},
		{`""`, "", `"",""`},
		{"a", " b ", "a, b "},
		{"a", ",", `a,","`},
		{"a", `"`, `a,""""`},
		{"", `say "a"`, `"say ""a"""`},
		{"", "two\nlines\r\n", "\"two\nlines\r\n\""},
		{"", "é世\xff\x00", "é世\xff\x00"},
		{",", ";", ",,;"},
	} {
		for kind, got := range map[string][]byte{
			"string": sheet.AppendString([]byte(test.row), test.text),
			"[]byte": sheet.AppendBytes([]byte(test.row), []byte(test.text)),
		} {
			if string(got) != test.want {
				t.Errorf("wrong row\n  row:  %q\n  text: %q, a %s\n  got:  %q\n  want: %q",
					test.row, test.text, kind, got, test.want)
			}
		}
		check(t, test.row, test.text)
	}
	if got, want := string(sheet.AppendBytes(nil, nil)), `""`; got != want {
		t.Errorf("wrong row of a cell that is nil\n  got:  %q\n  want: %q", got, want)
	}
}

// Every byte, alone and among others.
func TestEveryByte(t *testing.T) {
	for c := range 256 {
		one := string([]byte{byte(c)})
		long := strings.Repeat("x", 40)
		for _, text := range []string{one, one + one, "ab" + one + "cd", long + one, one + long} {
			check(t, "", text)
			check(t, "row", text)
		}
	}
}

func TestRandomRows(t *testing.T) {
	r := newRand(t)
	for range 150 {
		var want []string
		var row []byte
		for range 1 + r.IntN(12) {
			text := randomText(r, 70)
			check(t, string(row), text)
			want = append(want, cellOf(text))
			if r.IntN(2) == 0 {
				row = sheet.AppendString(row, text)
			} else {
				row = sheet.AppendBytes(row, []byte(text))
			}
		}
		if want := strings.Join(want, ","); string(row) != want {
			t.Fatalf("wrong row of %d cells\n  got:  %.300q\n  want: %.300q", len(want), row, want)
		}
	}
}

// A solution may treat lengths differently, so each one gets its turn, and some are huge.
func TestEveryLength(t *testing.T) {
	r := newRand(t)
	lengths := []int{
		32<<10 + 1 + r.IntN(1<<10), 64<<10 + 1 + r.IntN(1<<10), 128<<10 + 1 + r.IntN(1<<10), 1<<20 + 1 + r.IntN(1<<20),
	}
	for n := 1; n <= 16<<10; n *= 2 {
		lengths = append(lengths, n+1, n+r.IntN(n))
	}
	for n := range 140 {
		lengths = append(lengths, n)
	}
	for i, n := range lengths {
		check(t, "row", strings.Repeat("x", n)+string(special[i%4])) // only the end is special
		if n > 64<<10 {
			continue
		}
		check(t, "", strings.Repeat("x", n))
		check(t, "row", strings.Repeat([]string{"\"", ",", "\n"}[i%3], n))
		check(t, "", string(special[i%4])+strings.Repeat("x", n)) // only the beginning is
	}
}

// The rows before a cell have any length, too, and row and cell may both be long.
func TestLongRows(t *testing.T) {
	r := newRand(t)
	for n := 1; n <= 128<<10; n *= 2 {
		check(t, strings.Repeat("r", n+r.IntN(n)), strings.Repeat("x", n+r.IntN(n))+`"`)
	}
	for n := 1; n <= 64<<10; n *= 4 {
		check(t, strings.Repeat("row,", n/4+1+r.IntN(n)), randomText(r, 50))
	}
	check(t, strings.Repeat("row,", 256<<10+1+r.IntN(1000)), randomText(r, 50))
}

// A row stays as it is while others are written.
func TestEarlierRows(t *testing.T) {
	r := newRand(t)
	var rows, copies [][]byte
	for i := range 300 {
		text := []byte(randomText(r, 70))
		row := sheet.AppendBytes(nil, text)
		if i%2 == 0 {
			row = sheet.AppendString(nil, string(text))
		}
		clear(text)
		rows, copies = append(rows, row), append(copies, slices.Clone(row))
	}
	for i := range rows {
		if string(rows[i]) != string(copies[i]) {
			t.Fatalf("row %d of %d was changed by a later call\n  got:  %q\n  want: %q",
				i, len(rows), rows[i], copies[i])
		}
	}
}

// AppendBytes only reads the bytes. These lie in memory that cannot be written to, where the system
// has that.
func TestReadOnly(t *testing.T) {
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
	defer func() {
		if v := recover(); v != nil {
			t.Fatalf("AppendBytes writes to the text: %v", v)
		}
	}()
	for _, text := range []string{"plain text of a program's constant", "say \"a\",\r\nand \"b\"", `"`, "x,"} {
		got := sheet.AppendBytes([]byte("row"), unsafe.Slice(unsafe.StringData(text), len(text)))
		if want := "row," + cellOf(text); string(got) != want {
			t.Fatalf("wrong row\n  row:  \"row\"\n  text: %q, a []byte\n  got:  %q\n  want: %q", text, got, want)
		}
	}
}

// The row lives on, the bytes that went into it do not. They are a small part of a large text.
func TestKeepsNothing(t *testing.T) {
	r := newRand(t)
	var row []byte
	for _, n := range []int{1 + r.IntN(31), 32 + r.IntN(96), 1000 + r.IntN(3000)} {
		var large weak.Pointer[byte]
		row, large = cellOfNew(row, n)
		for range 3 {
			runtime.GC()
		}
		if large.Value() != nil {
			t.Errorf("the text of a cell of %d bytes is still in use", n)
		}
	}
	runtime.KeepAlive(row)
}

// cellOfNew appends n bytes of a large text, and returns a pointer to that which does not keep it alive.
//
//go:noinline
func cellOfNew(row []byte, n int) ([]byte, weak.Pointer[byte]) {
	large := make([]byte, 8<<10)
	return sheet.AppendBytes(row, large[1<<10:][:n]), weak.Make(&large[0])
}
