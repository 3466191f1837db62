package journal_test

import (
	"bytes"
	"errors"
	"io"
	"math/rand/v2"
	"runtime"
	"runtime/debug"
	"sync"
	"testing"
	"unsafe"
	"weak"

	journal "onthestack/exercises/exercise14"
)

// check appends a record and compares everything that Append's comment promises.
func check(t *testing.T, j *journal.Journal, out *file, record []byte) {
	t.Helper()

	// After the record lie bytes that are none of Append's business.
	whole := append(bytes.Clone(record), "|behind|"...)
	before := bytes.Clone(whole)
	packets := len(out.packets)

	returned := false
	defer func() {
		if !returned {
			t.Errorf("Append panics\n  record: %.60q", record)
		}
	}()
	err := j.Append(whole[:len(record)])
	returned = true

	if err != nil {
		t.Fatalf("Append returns an error\n  record: %.60q\n  got:    error %v\n  want:   error <nil>", record, err)
	}
	if !bytes.Equal(whole, before) {
		t.Fatalf("Append changes a record of %d bytes, or bytes after it\n  got:  %.60q\n  want: %.60q", len(record),
			whole, before)
	}
	if n := len(out.packets) - packets; n != 1 {
		t.Fatalf("wrong number of calls of Write\n  record: %.60q\n  got:    %d\n  want:   1", record, n)
	}
	// From here on the caller uses the slice for something else.
	for i := range whole {
		whole[i] = '#'
	}
	compare(t, out.packets[packets], record)
}

func compare(t *testing.T, got, record []byte) {
	t.Helper()
	want := framed(record)
	if bytes.Equal(got, want) {
		return
	}
	at := 0
	for at < min(len(got), len(want)) && got[at] == want[at] {
		at++
	}
	t.Fatalf("wrong packet, from byte %d on\n  record: %.60q\n  got:    %.40q, of %d bytes in all\n"+
		"  want:   %.40q, of %d bytes in all",
		at, record, got[at:], len(got), want[at:], len(want))
}

func TestOneRecord(t *testing.T) {
	var out file
	if err := journal.New(&out).Append([]byte("door 3")); err != nil {
		t.Fatal(err)
	}
	// Written out, so that the test's own packets are tested, too.
	const want = "\x00\x00\x00\x06door 3\x00\x00\x18\x5c\xa2\x8e"
	if got := string(out.packets[0]); got != want {
		t.Errorf("wrong packet\n  record: \"door 3\"\n  got:    %q\n  want:   %q", got, want)
	}
	compare(t, []byte(want), []byte("door 3"))
}

func TestNoBytes(t *testing.T) {
	var out file
	j := journal.New(&out)
	check(t, j, &out, nil)
	check(t, j, &out, []byte{1, 2, 3, 4, 5, 6, 7})
	check(t, j, &out, []byte{})
}

// A solution may treat sizes differently, so each one gets its turn: growing, as the
// first record of its journal, and after a larger one.
func TestEverySize(t *testing.T) {
	r := newRand(t)
	const most = 1100
	var out file
	j := journal.New(&out)
	for n := 0; n <= most; n++ {
		check(t, j, &out, randomRecord(r, n))
		var first file
		check(t, journal.New(&first), &first, randomRecord(r, n))
	}
	for n := most; n >= 0; n-- {
		check(t, j, &out, randomRecord(r, n))
	}
}

func TestLarge(t *testing.T) {
	r := newRand(t)
	var out file
	j := journal.New(&out)
	lengths := []int{4079, 4080, 4081, 4087, 4088, 4089, 4095, 4096, 8192, 65535, 65536, 1<<20 + 1 + r.IntN(3<<20)}
	for range 20 {
		lengths = append(lengths, anySize(r, 1<<20))
	}
	for _, n := range lengths {
		check(t, j, &out, randomRecord(r, n))
		check(t, j, &out, randomRecord(r, n%8)) // small, where a large one was
		check(t, j, &out, randomRecord(r, n%200))
	}
}

func TestRandomSizes(t *testing.T) {
	r := newRand(t)
	var out file
	j := journal.New(&out)
	for range 2000 {
		check(t, j, &out, randomRecord(r, r.IntN(1<<r.IntN(11))))
	}
}

// The same slice with other contents is another record.
func TestSameSliceAgain(t *testing.T) {
	r := newRand(t)
	var out file
	j := journal.New(&out)
	record := make([]byte, 100)
	for i := range 20 {
		copy(record, randomRecord(r, len(record)))
		if err := j.Append(record); err != nil {
			t.Fatal(err)
		}
		compare(t, out.packets[i], record)
	}
}

// A full disk takes a part of each packet.
type full struct {
	err   error
	calls int
}

func (f *full) Write(p []byte) (int, error) {
	f.calls++
	return len(p) / 2, f.err
}

func TestError(t *testing.T) {
	r := newRand(t)
	for _, n := range []int{0, 10, 200, 5000, anySize(r, 200), anySize(r, 1<<20)} {
		disk := &full{err: errors.New("disk full")}
		j := journal.New(disk)
		for range 2 {
			if err := j.Append(make([]byte, n)); err != disk.err {
				t.Errorf("wrong error of Append of %d bytes when Write fails\n  got:  %v\n  want: %v", n, err, disk.err)
			}
		}
		if disk.calls != 2 {
			t.Errorf("wrong number of calls of Write by two Appends of %d bytes: "+
				"the caller decides whether to try again\n  got:  %d\n  want: 2", n, disk.calls)
		}
	}
}

// A file that takes less than all without an error is the caller's business, and
// the record after one that failed is written whole.
func TestAfterError(t *testing.T) {
	r := newRand(t)
	disk := &flaky{full: full{err: errors.New("disk full")}}
	j := journal.New(disk)
	for _, n := range []int{0, 10, 200, 5000, anySize(r, 200), anySize(r, 1<<20)} {
		disk.works = false
		for _, want := range []error{errors.New("disk full"), nil} {
			disk.full.err = want
			if err := j.Append(randomRecord(r, n)); err != want {
				t.Errorf("wrong error of Append of %d bytes when Write takes a half of the packet\n  got:  %v\n"+
					"  want: %v", n, err, want)
			}
		}
		disk.works = true
		check(t, j, &disk.file, randomRecord(r, n/2))
	}
}

// A flaky disk is full, or works.
type flaky struct {
	full
	file
	works bool
}

func (f *flaky) Write(p []byte) (int, error) {
	if f.works {
		return f.file.Write(p)
	}
	return f.full.Write(p)
}

// If Write does not return, because it panics or ends its goroutine, so does Append. The
// record after it is written whole, and the packet of a large one is not kept.
func TestWriteDoesNotReturn(t *testing.T) {
	r := newRand(t)
	for _, test := range []struct {
		name  string
		leave func()
	}{
		{"panics", func() { panic("no disk") }},
		{"ends its goroutine", runtime.Goexit},
	} {
		t.Run(test.name, func(t *testing.T) {
			var disk brokenDisk
			j := journal.New(&disk)
			for range 50 {
				disk.leave = test.leave
				record := randomRecord(r, anySize(r, 10_000))
				returned := false
				var call sync.WaitGroup
				call.Go(func() {
					defer func() { recover() }()
					j.Append(record)
					returned = true
				})
				call.Wait()
				if returned {
					t.Fatal("Append returns although Write did not: a panic of Write belongs to the caller of Append")
				}
				if len(record) > 4096 {
					for range 3 {
						runtime.GC()
					}
					if disk.packet.Value() != nil {
						t.Fatalf("the journal keeps the packet of a record of %d bytes", len(record))
					}
				}
				disk.leave = nil
				check(t, j, &disk.file, randomRecord(r, r.IntN(len(record))))
			}
		})
	}
}

// A brokenDisk does what leave does instead of returning. It has a pointer to the packet, which does not keep it.
type brokenDisk struct {
	file
	leave  func()
	packet weak.Pointer[byte]
}

func (d *brokenDisk) Write(p []byte) (int, error) {
	if d.leave != nil {
		d.packet = weak.Make(&p[0])
		d.leave()
	}
	return d.file.Write(p)
}

// Append only reads the record, so not even a change that is taken back is allowed. Here
// the record is a part of a constant. A program that is not WebAssembly has it in memory
// that cannot be written to.
func TestOnlyReads(t *testing.T) {
	r := newRand(t)
	const (
		door     = "door 3 opened, door 4 closed; "
		kilobyte = door + door + door + door + door + door + door + door + door + door + door + door + door + door
		constant = kilobyte + kilobyte + kilobyte + kilobyte + kilobyte + kilobyte + kilobyte + kilobyte
	)
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
	var n int
	defer func() {
		if p := recover(); p != nil {
			t.Errorf("Append panics where it may only read: it writes to the record\n  record: %d bytes\n"+
				"  panic:  %v", n, p)
		}
	}()
	var out file
	j := journal.New(&out)
	for i := range 300 {
		n = i
		if i > 200 {
			n = anySize(r, len(constant)-1)
		}
		from := r.IntN(len(constant) - n)
		record := unsafe.Slice(unsafe.StringData(constant[from:]), n)
		if err := j.Append(record); err != nil {
			t.Fatal(err)
		}
		compare(t, out.packets[i], record)
	}
}

// A mirror writes what it gets to a second journal, too.
type mirror struct {
	file
	second *journal.Journal
	record []byte
}

func (m *mirror) Write(p []byte) (int, error) {
	if err := m.second.Append(m.record); err != nil {
		return 0, err
	}
	return m.file.Write(p)
}

func TestTwoJournals(t *testing.T) {
	r := newRand(t)
	var second file
	m := &mirror{second: journal.New(&second)}
	j := journal.New(m)
	for range 200 {
		record := randomRecord(r, r.IntN(300))
		m.record = randomRecord(r, r.IntN(300))
		check(t, j, &m.file, record)
		compare(t, second.packets[len(second.packets)-1], m.record)
	}
}

func TestAtOnce(t *testing.T) {
	var calls sync.WaitGroup
	r := newRand(t)
	for range 4 {
		records := make([][]byte, 50)
		for i := range records {
			records[i] = randomRecord(r, r.IntN(400))
		}
		calls.Go(func() {
			var out file
			j := journal.New(&out)
			for i, record := range records {
				if err := j.Append(record); err != nil || !bytes.Equal(out.packets[i], framed(record)) {
					t.Errorf("wrong packet when goroutines write to journals of their own\n  record: %.60q\n"+
						"  got:    error %v, or another packet\n  want:   error <nil>, and its packet", record, err)
					return
				}
			}
		})
	}
	calls.Wait()
}

// Journals are measured when they are new, after many records of usual lengths,
// and after longer ones.
func TestStaysSmall(t *testing.T) {
	heap := func() int64 {
		runtime.GC()
		runtime.GC()
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		return int64(m.HeapAlloc)
	}
	const limit, count = 4096, 50
	r := newRand(t)
	record := make([]byte, 512<<10+anySize(r, 128<<10))
	journals := make([]*journal.Journal, count)

	before := heap()
	small := func(after string) {
		t.Helper()
		if each := (heap() - before) / count; each >= limit {
			t.Fatalf("each journal takes too much %s\n  got:  %d bytes\n  want: less than %d", after, each, limit)
		}
	}
	for i := range journals {
		journals[i] = journal.New(io.Discard)
	}
	small("before its first record")
	for round := range 200 {
		for _, j := range journals {
			if err := j.Append(record[:round]); err != nil {
				t.Fatal(err)
			}
		}
		if round%64 == 63 {
			small("after records of less than 200 bytes")
		}
	}
	lengths := []int{200, 1000, 3000, 4000, 4096, 5000, 20_000, len(record)}
	for range 4 {
		lengths = append(lengths, anySize(r, len(record)))
	}
	for _, n := range lengths {
		for _, j := range journals {
			if err := j.Append(record[:n]); err != nil {
				t.Fatal(err)
			}
		}
		small("after a record of more than 200 bytes")
	}
	runtime.KeepAlive(journals)
}

// The Journal lives on, the records that it was given do not, nor the memory of which
// they were a part. After an error it is the same.
func TestKeepsNothing(t *testing.T) {
	r := newRand(t)
	disk := new(full)
	j := journal.New(disk)
	for i := range 24 {
		size := anySize(r, 200) - 1
		if i%4 == 0 {
			size = anySize(r, 10_000)
		}
		if disk.err = nil; i%3 == 0 {
			disk.err = errors.New("disk full")
		}
		memory := appendNew(r, j, size)
		for range 3 {
			runtime.GC()
		}
		if memory.Value() != nil {
			t.Fatalf("the journal keeps the memory of a record\n  record: %d bytes\n  error:  %v", size, disk.err)
		}
	}
	appendNew(r, j, 40) // so the journal was alive all along
}

// appendNew appends a record, and returns a pointer to the memory of which it was a part,
// which does not keep that alive.
//
//go:noinline
func appendNew(r *rand.Rand, j *journal.Journal, size int) weak.Pointer[byte] {
	memory := make([]byte, size+64+anySize(r, 1000))
	from := r.IntN(len(memory) - size)
	j.Append(memory[from:][:size])
	return weak.Make(&memory[0])
}
