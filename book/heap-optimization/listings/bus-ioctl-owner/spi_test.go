package spi

import (
	"errors"
	"runtime"
	"sync"
	"testing"
	"unsafe"
)

// A recorder is a device file that looks at the request of its connection during a transfer. It compares addresses but
// never uses arg as one.
type recorder struct {
	conn     *Conn
	requests []request
	err      error
}

func (r *recorder) Ioctl(op uint, arg uintptr) error {
	if op == transferOne && arg == uintptr(unsafe.Pointer(&r.conn.r)) {
		r.requests = append(r.requests, r.conn.r)
	}
	return r.err
}

func TestRequest(t *testing.T) {
	if size := unsafe.Sizeof(request{}); size != 32 {
		t.Errorf("a request has %d bytes, and the kernel reads 32", size)
	}
}

func TestTransfer(t *testing.T) {
	file := &recorder{err: errors.New("no chip")}
	file.conn = Open(file).Connect(500000, 8)
	data := []byte{1, 5, 0}
	if err := file.conn.Transfer(data); err != file.err {
		t.Errorf("got %v, want %v", err, file.err)
	}
	want := request{out: &data[0], in: &data[0], length: 3, hz: 500000, bits: 8}
	if len(file.requests) != 1 || file.requests[0] != want {
		t.Errorf("requests %+v, want %+v", file.requests, want)
	}
	if file.conn.r != (request{}) {
		t.Error("after the transfer the connection holds on to the caller's data")
	}
	if err := file.conn.Transfer(nil); err != nil || len(file.requests) != 1 {
		t.Errorf("no data: got %v after %d requests, want no request", err, len(file.requests))
	}
}

// A slow file lets other goroutines run during a transfer.
type slow struct {
	conn    *Conn
	changed bool
}

func (s *slow) Ioctl(op uint, arg uintptr) error {
	before := s.conn.r
	for range 10 {
		runtime.Gosched()
	}
	s.changed = s.changed || s.conn.r != before
	return nil
}

// Transfers take turns, on a single processor too.
func TestTurns(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	file := new(slow)
	file.conn = Open(file).Connect(500000, 8)
	var calls sync.WaitGroup
	for n := range 8 {
		calls.Go(func() { file.conn.Transfer(make([]byte, 1+n)) })
	}
	calls.Wait()
	if file.changed {
		t.Error("a transfer changed the request of another")
	}
}
