package spi_test

import (
	"math/rand/v2"
	"sync"
	"testing"

	spi "onthestack/book/heap-optimization/listings/bus-concrete"
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

func TestError(t *testing.T) {
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
				data := frame(gauge)
				if err := conn.Transfer(data); err != nil || level(data) != want {
					t.Errorf("gauge %d: got %d, %v, want %d", gauge, level(data), err, want)
					return
				}
			}
		})
	}
	calls.Wait()
}
