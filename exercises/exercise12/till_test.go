package till_test

import (
	"bytes"
	"errors"
	"fmt"
	"runtime/debug"
	"slices"
	"strings"
	"sync"
	"testing"
	"unsafe"

	till "onthestack/exercises/exercise12"
)

// check calls Add and compares everything that its comment promises.
func check(t *testing.T, roll string) {
	t.Helper()

	// After the roll lie bytes that are none of Add's business.
	whole := []byte(roll + "9 x 9.99 A\n")
	before := string(whole)

	returned := false
	defer func() {
		if !returned {
			t.Errorf("Add panics\n  roll: %.200q", roll)
		}
	}()
	got, err := till.Add(whole[:len(roll)])
	returned = true

	if string(whole) != before {
		t.Fatalf("Add changes the roll, or bytes after it\n  got:  %.200q\n  want: %.200q", whole, before)
	}
	want, wantErr := added(roll)
	if got != want || err != wantErr {
		t.Fatalf("wrong result\n  roll: %.200q\n  got:  %+v, %v\n  want: %+v, %v", roll, got, err, want, wantErr)
	}
}

func TestSums(t *testing.T) {
	// One roll with its sums written out, so that the test's own reading is tested, too.
	const roll = "2 x 1.99 A\n1 x 12.50 B\n6 back 0.25\n3 x 0.05 A\n"
	want := till.Sums{A: 413, B: 1250, Back: 150, Pieces: 6}
	if got, err := till.Add([]byte(roll)); got != want || err != nil {
		t.Errorf("wrong result\n  roll: %q\n  got:  %+v, %v\n  want: %+v, <nil>", roll, got, err, want)
	}
	check(t, roll)
}

func TestRolls(t *testing.T) {
	for _, test := range []struct{ name, roll string }{
		{"empty", ""},
		{"one sale", "1 x 0.01 B\n"},
		{"one return", "1 back 0.08\n"},
		{"no newline at the end", "1 x 0.01 B\n2 back 0.25"},
		{"only returns", "1 back 0.08\n24 back 0.08\n"},
		{"no pieces", "0 x 1.00 A\n0 back 1.00\n"},
		{"no price", "5 x 0.00 A\n5 back 0.00\n"},
		{"no pieces and no price", "0 x 0.00 A\n0 x 0.00 B\n0 back 0.00\n"},
		{"leading zeros", "007 x 000000001.05 A\n"},
		{"large numbers", strings.Repeat("999999999 x 999999999.99 B\n", 5)},

		{"empty line", "1 x 0.01 B\n\n1 x 0.01 B\n"},
		{"nothing but a newline", "\n"},
		{"two newlines at the end", "1 x 0.01 B\n\n"},
		{"space at the end", "1 x 0.01 B \n"},
		{"space at the end of a return", "1 back 0.01 \n"},
		{"space at the front", " 1 x 0.01 B\n"},
		{"two spaces", "1  x 0.01 B\n"},
		{"carriage return", "1 x 0.01 B\r\n"},
		{"no rate", "1 x 0.01\n"},
		{"another rate", "1 x 0.01 C\n"},
		{"two rates", "1 x 0.01 AB\n"},
		{"more after the rate", "1 x 0.01 A A\n"},
		{"rate of a return", "1 back 0.01 A\n"},
		{"another word", "1 y 0.01 A\n"},
		{"no number of pieces", "x 0.01 A\n"},
		{"minus", "-1 x 0.01 A\n"},
		{"minus in the price", "1 x -0.01 A\n"},
		{"one digit of cents", "1 x 0.1 A\n"},
		{"three digits of cents", "1 x 0.001 A\n"},
		{"no cents", "1 x 1 A\n"},
		{"no digits after the point", "1 x 1. A\n"},
		{"no digits before the point", "1 x .01 A\n"},
		{"two points", "1 x 1.0.1 A\n"},
		{"ten digits of pieces", "1000000000 x 1.00 A\n"},
		{"ten digits of price", "1 x 1000000000.00 A\n"},
		{"error in the last line", "1 x 0.01 B\n1 x 0.01 A\n1 back\n"},
		{"error in a line that does not end", "1 x 0.01 B\n1 x 0.0"},
		{"two errors", "1 x 0.01 B\nx\n1 x 0.01 B\nx\n"},
		{"a byte of no text", "1 x 0.0\xff B\n"},
	} {
		t.Run(test.name, func(t *testing.T) { check(t, test.roll) })
	}
}

// A number has digits and nothing else: other bytes take the place of each digit, those
// next to the digits among them.
func TestOtherBytes(t *testing.T) {
	r := newRand(t)
	for _, line := range []string{"12 x 34.56 A", "12 back 34.56"} {
		for at := range line {
			if line[at] < '0' || line[at] > '9' {
				continue
			}
			for _, c := range []byte{'/', ':', '0', '9', '+', '-', '_', 'e', 0, 0xff, byte('!' + r.IntN(200))} {
				check(t, line[:at]+string([]byte{c})+line[at+1:]+"\n")
			}
		}
	}
}

func TestErrorText(t *testing.T) {
	_, err := till.Add([]byte("1 x 0.01 B\n1 x 0.01 C\n"))
	var number till.Error
	if !errors.As(err, &number) || number != 2 {
		t.Fatalf("wrong error\n  got:  %v\n  want: one for line 2", err)
	}
	if got, want := err.Error(), "till: cannot read line 2"; got != want {
		t.Errorf("wrong message of the error\n  got:  %q\n  want: %q", got, want)
	}
}

func TestRandomRolls(t *testing.T) {
	r := newRand(t)
	for i := range 250 {
		var lines []string
		for range r.IntN(12) {
			lines = append(lines, randomLine(r))
		}
		if len(lines) > 0 && i%3 == 0 {
			lines[r.IntN(len(lines))] = brokenLine(r)
		}
		check(t, strings.Join(lines, "\n")+[]string{"", "\n"}[r.IntN(2)])
	}
}

// A roll may have any number of lines: more than any array that a solution might set
// aside, than any variable on the stack can hold, and than 16 bits can count.
func TestManyLines(t *testing.T) {
	r := newRand(t)
	var lines [16]string
	var sums [len(lines)]till.Sums
	for i := range lines {
		lines[i] = randomLine(r) + "\n"
		sums[i], _ = added(lines[i])
	}
	var numbers []int
	for range 12 {
		numbers = append(numbers, anySize(r, 1<<14))
	}
	slices.Sort(numbers)
	for _, n := range numbers {
		passed := t.Run(fmt.Sprintf("%d lines", n), func(t *testing.T) {
			var roll []byte
			var want till.Sums
			for range n {
				i := r.IntN(len(lines))
				roll = append(roll, lines[i]...)
				want.A += sums[i].A
				want.B += sums[i].B
				want.Back += sums[i].Back
				want.Pieces += sums[i].Pieces
			}
			if got, err := till.Add(roll); got != want || err != nil {
				t.Errorf("wrong result\n  roll: %.80q and so on\n  got:  %+v, %v\n  want: %+v, <nil>", roll, got, err,
					want)
			}
			roll = append(roll, "1 x 0.01 C\n"...)
			if got, err := till.Add(roll); got != (till.Sums{}) || err != till.Error(n+1) {
				t.Errorf("wrong result where the last line cannot be read\n  roll: %.80q and so on\n  got:  %+v, %v\n"+
					"  want: %+v, %v", roll, got, err, till.Sums{}, till.Error(n+1))
			}
		})
		if !passed {
			return // longer ones would fail alike
		}
	}

	// More than 1 MiB, too.
	n := 1<<16 + 1 + r.IntN(1<<17)
	roll := bytes.Repeat([]byte("123456789 back 0.08\n"), n)
	want := till.Sums{Back: 8 * 123456789 * int64(n)}
	if got, err := till.Add(roll); got != want || err != nil {
		t.Errorf("wrong result\n  roll: %.80q and so on\n  got:  %+v, %v\n  want: %+v, <nil>", roll, got, err, want)
	}
	got, err := till.Add(roll[:len(roll)-1-len("0.08")])
	if got != (till.Sums{}) || err != till.Error(n) {
		t.Fatalf("wrong result where the last line cannot be read\n  roll: %.80q and so on\n  got:  %+v, %v\n"+
			"  want: %+v, %v", roll, got, err, till.Sums{}, till.Error(n))
	}
	if got, want := err.Error(), fmt.Sprintf("till: cannot read line %d", n); got != want {
		t.Errorf("wrong message of the error\n  got:  %q\n  want: %q", got, want)
	}
}

// A line that cannot be read may have any length.
func TestLongLines(t *testing.T) {
	r := newRand(t)
	lengths := []int{1<<20 + 1 + r.IntN(3<<20)}
	for range 16 {
		lengths = append(lengths, 10+anySize(r, 128<<10))
	}
	for i, n := range lengths {
		digits, spaces := strings.Repeat("0", n), strings.Repeat(" ", n)
		lines := []string{digits + "1 x 1.00 A", "1 x " + digits + "1.00 A", "1 back 1." + digits,
			"1 back 1.00" + spaces, "1" + spaces + "x 1.00 A"}
		if n > 4096 {
			lines = lines[i%len(lines):][:1]
		}
		for _, line := range lines {
			number := 1 + anySize(r, 2000)
			roll := strings.Repeat("1 x 0.01 B\n", number-1) + line + "\n1 x 0.01 B\n"
			if got, err := till.Add([]byte(roll)); got != (till.Sums{}) || err != till.Error(number) {
				t.Fatalf("wrong result where line %d is long and cannot be read\n  line: %.80q and so on, %d bytes\n"+
					"  got:  %+v, %v\n  want: %+v, %v",
					number, line, len(line), got, err, till.Sums{}, till.Error(number))
			}
		}
	}
}

// Goroutines share a roll, so not even a change that is taken back is allowed. Here the
// rolls are parts of a constant, of any length. A program that is not WebAssembly has it in
// memory that cannot be written to.
func TestOnlyReads(t *testing.T) {
	r := newRand(t)
	const (
		few      = "2 x 1.99 A\n1 x 12.50 B\n6 back 0.25\n3 x 0.05 A\n007 x 000000001.05 A\n123456789 back 987654321.00\n"
		some     = few + few + few + few + few + few + few + few
		many     = some + some + some + some + some + some + some + some
		constant = many + many + many + many + many + many + many + many
	)
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
	var roll string
	defer func() {
		if p := recover(); p != nil {
			t.Errorf("Add panics where it may only read: it writes to the roll\n  roll:  %.200q, %d bytes\n  panic: %v",
				roll, len(roll), p)
		}
	}()
	for range 40 {
		begin := strings.LastIndexByte(constant[:1+r.IntN(len(few))], '\n') + 1
		roll = constant[begin:][:anySize(r, len(constant)-len(few))]
		if r.IntN(2) == 0 {
			roll = roll[:strings.LastIndexByte(roll, '\n')+1] // nothing but whole lines
		}
		want, wantErr := added(roll)
		got, err := till.Add(unsafe.Slice(unsafe.StringData(roll), len(roll)))
		if got != want || err != wantErr {
			t.Fatalf("wrong result\n  roll: %.200q, %d bytes\n  got:  %+v, %v\n  want: %+v, %v", roll, len(roll), got, err,
				want, wantErr)
		}
	}
}

// The same slice with other contents is another roll.
func TestSameSliceAgain(t *testing.T) {
	r := newRand(t)
	f := newRoll(r, 8)
	for range 10 {
		want := f.setPrices(r.IntN(1e8))
		if got, err := till.Add(f.text); got != want || err != nil {
			t.Fatalf("wrong sums for a slice that was used before, with other contents\n  roll: %.200q\n"+
				"  got:  %+v, %v\n  want: %+v, <nil>", f.text, got, err, want)
		}
	}
}

// Calls at the same time share a roll with another. They also share an array: behind each
// roll, of which every second ends without a newline, lies the next one.
func TestAtOnce(t *testing.T) {
	r := newRand(t)
	var array []byte
	var ends []int
	var sums []till.Sums
	for n := range 4 {
		var roll []string
		for range 50 + anySize(r, 500) {
			roll = append(roll, randomLine(r))
		}
		text := strings.Join(roll, "\n") + []string{"", "\n"}[n%2]
		want, _ := added(text)
		array, sums = append(array, text...), append(sums, want)
		ends = append(ends, len(array))
	}

	var calls sync.WaitGroup
	start := make(chan struct{})
	from := 0
	for i, end := range ends {
		roll, want := array[from:end], sums[i]
		from = end
		for range 2 {
			calls.Go(func() {
				<-start
				for range 20 {
					if got, err := till.Add(roll); got != want || err != nil {
						t.Errorf("wrong sums when goroutines call Add at once\n  roll: %.200q\n  got:  %+v, %v\n"+
							"  want: %+v, <nil>", roll, got, err, want)
						return
					}
				}
			})
		}
	}
	close(start)
	calls.Wait()
}

// An error tells its line as long as its caller keeps it, whatever Add has returned since.
func TestErrorIsKept(t *testing.T) {
	r := newRand(t)
	type kept struct {
		err  error
		line int
	}
	var errs []kept
	for range 50 {
		line := anySize(r, 2000)
		_, err := till.Add([]byte(strings.Repeat("1 x 0.01 B\n", line-1) + "1 x 0.01 C\n"))
		errs = append(errs, kept{err, line})
	}
	for _, k := range errs {
		if got, want := fmt.Sprint(k.err), fmt.Sprintf("till: cannot read line %d", k.line); got != want {
			t.Fatalf("wrong message of an error that was kept\n  got:  %q\n  want: %q", got, want)
		}
	}
}
