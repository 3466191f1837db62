package journal_test

import (
	"bytes"
	"encoding/binary"
	"errors"
	"math/rand/v2"
	"testing"

	journal "onthestack/exercises/exercise14"
)

// The checker runs these benchmarks for many operations before a solution passes. Each has to meet the
// target of BenchmarkAppend by itself, with inputs of other classes.

// BenchmarkAppendConfirm appends records of each size up to 200 bytes, between larger and smaller ones, most
// of them with room behind. No two operations have the same record, and each packet is compared with what
// must come. The journal had a large record before, and a Write that panicked.
func BenchmarkAppendConfirm(b *testing.B) {
	r := newRand(b)
	sizes := r.Perm(201)
	all := randomRecord(r, 400)
	out := &proof{record: randomRecord(r, 200+anySize(r, 100_000))}
	j := journal.New(out)
	if err := j.Append(out.record); err != nil {
		b.Fatal(err)
	}
	out.broken = true
	func() {
		defer func() { recover() }()
		j.Append(all)
	}()
	out.broken, out.packets = false, 0

	clock := rand.IntN(1e8) // not from newRand: no call of this function repeats another's data
	i := 0
	for b.Loop() {
		from, size := i/201%100, sizes[i%201]
		out.record = all[from : from+size]
		if i/201%4 == 0 {
			out.record = all[from : from+size : from+size]
		}
		binary.BigEndian.PutUint32(all[from:], uint32(clock+i))
		if err := j.Append(out.record); err != nil || out.wrong || out.packets != i+1 {
			b.Fatalf("wrong packets\n  record: %q\n  got:    %d, error %v, one wrong: %v\n"+
				"  want:   %d, error <nil>, one wrong: false", out.record, out.packets, err, out.wrong, i+1)
		}
		i++
	}
}

// BenchmarkAppendConfirmError appends records while the disk is full.
func BenchmarkAppendConfirmError(b *testing.B) {
	r := newRand(b)
	disk := &full{err: errors.New("disk full")}
	j := journal.New(disk)
	records := make([][]byte, 201)
	for i := range records {
		records[i] = randomRecord(r, i)
	}

	i := 0
	for b.Loop() {
		if err := j.Append(records[i%len(records)]); err != disk.err {
			b.Fatalf("wrong error\n  got:  %v\n  want: %v", err, disk.err)
		}
		i++
	}
}

// A proof compares each packet with the record that it must hold. If it is broken, it panics.
type proof struct {
	record        []byte
	packets       int
	wrong, broken bool
}

func (p *proof) Write(packet []byte) (int, error) {
	if p.broken {
		panic("broken")
	}
	p.packets++
	n := len(p.record)
	size := (n + 15) / 8 * 8
	if len(packet) != size || int(binary.BigEndian.Uint32(packet)) != n || !bytes.Equal(packet[4:4+n], p.record) {
		p.wrong = true
		return len(packet), nil
	}
	for _, c := range packet[4+n : size-4] {
		p.wrong = p.wrong || c != 0
	}
	sum := uint32(2166136261) // FNV-1a
	for _, c := range packet[:size-4] {
		sum = (sum ^ uint32(c)) * 16777619
	}
	p.wrong = p.wrong || binary.BigEndian.Uint32(packet[size-4:]) != sum
	return len(packet), nil
}
