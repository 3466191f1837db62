package spi_test

import (
	"errors"
	"math/rand/v2"
	"sync"
	"testing"

	spi "onthestack/book/heap-optimization/listings/bus-escape"
)

func frame(gauge int) []byte { return []byte{1, byte(gauge), 0} }

func level(frame []byte) uint16 { return uint16(frame[1])<<8 | uint16(frame[2]) }

func randomTank() *spi.Tank {
	var tank spi.Tank
	for i := range tank.Levels {
		tank.Levels[i] = uint16(rand.Uint32())
	}
	return &tank
}

func TestTransfer(t *testing.T) {
	tank := randomTank()
	conn := connect(tank)
	for gauge, want := range tank.Levels {
		data := frame(gauge)
		if err := conn.Transfer(data); err != nil || level(data) != want {
			t.Errorf("gauge %d: got %d, %v, want %d", gauge, level(data), err, want)
		}
	}
}

// From no frame to more than any array inside the owner holds, and back.
func TestTransferAll(t *testing.T) {
	tank := randomTank()
	conn := connect(tank)
	for _, n := range []int{0, 1, 4, 5, 9, 2, 4, 0, 3} {
		frames := make([][]byte, n)
		gauges := make([]int, n)
		for i := range frames {
			gauges[i] = rand.IntN(len(tank.Levels))
			frames[i] = frame(gauges[i])
		}
		if err := conn.TransferAll(frames); err != nil {
			t.Fatalf("%d frames: %v", n, err)
		}
		for i, data := range frames {
			if want := tank.Levels[gauges[i]]; level(data) != want {
				t.Errorf("frame %d of %d: got %d, want %d", i, n, level(data), want)
			}
		}
	}
}

// A recorder is a device that copies what it is told, and fails when it is asked to.
type recorder struct {
	got []spi.Segment
	err error
}

func (r *recorder) Exchange(segments []spi.Segment) error {
	r.got = append(r.got[:0], segments...)
	return r.err
}

// The device sees the settings of the connection, and only segments of this transfer.
func TestSegments(t *testing.T) {
	var dev recorder
	conn := connect(&dev)
	for _, n := range []int{6, 4, 2, 1} {
		frames := make([][]byte, n)
		for i := range frames {
			frames[i] = frame(i)
		}
		if err := conn.TransferAll(frames); err != nil {
			t.Fatal(err)
		}
		if len(dev.got) != n {
			t.Fatalf("%d frames came as %d segments", n, len(dev.got))
		}
		for i, s := range dev.got {
			if &s.Data[0] != &frames[i][0] || s.Hz != 1000000 || s.Bits != 8 || s.Hold != (i+1 < n) {
				t.Errorf("segment %d of %d is %+v", i, n, s)
			}
		}
	}
	data := frame(7)
	if err := conn.Transfer(data); err != nil {
		t.Fatal(err)
	}
	if s := dev.got[0]; len(dev.got) != 1 || &s.Data[0] != &data[0] || s.Hz != 1000000 || s.Bits != 8 || s.Hold {
		t.Errorf("segments of a single transfer: %+v", dev.got)
	}
}

func TestError(t *testing.T) {
	dev := recorder{err: errors.New("no chip")}
	conn := connect(&dev)
	if err := conn.Transfer(frame(0)); err != dev.err {
		t.Errorf("Transfer: got %v, want %v", err, dev.err)
	}
	if err := conn.TransferAll([][]byte{frame(0), frame(1)}); err != dev.err {
		t.Errorf("TransferAll: got %v, want %v", err, dev.err)
	}
	if err := connect(new(spi.Tank)).Transfer([]byte{2}); err != spi.ErrFrame {
		t.Errorf("wrong frame: got %v, want %v", err, spi.ErrFrame)
	}
}

func TestConnectOnce(t *testing.T) {
	port := spi.Open("spi1", new(spi.Tank))
	if _, err := port.Connect(1000, 8); err != nil {
		t.Fatal(err)
	}
	if conn, err := port.Connect(1000, 8); err == nil || err.Error() != "spi: spi1 is connected" || conn != nil {
		t.Errorf("second Connect: got %v, %v", conn, err)
	}
}

func TestAtOnce(t *testing.T) {
	tank := randomTank()
	conn := connect(tank)
	var calls sync.WaitGroup
	for gauge, want := range tank.Levels {
		calls.Go(func() {
			for range 200 {
				one, all := frame(gauge), [][]byte{frame(gauge), frame(0), frame(gauge)}
				if err := errors.Join(conn.Transfer(one), conn.TransferAll(all)); err != nil || level(one) != want || level(all[2]) != want {
					t.Errorf("gauge %d: got %d and %d, %v, want %d", gauge, level(one), level(all[2]), err, want)
					return
				}
			}
		})
	}
	calls.Wait()
}
