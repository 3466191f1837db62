package spi

import (
	"errors"
	"testing"
	"unsafe"
)

// A recorder is a device file that notes what it is asked. It never uses arg as an address.
type recorder struct {
	ops []uint
	err error
}

func (r *recorder) Ioctl(op uint, arg uintptr) error {
	if arg != 0 {
		r.ops = append(r.ops, op)
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
	conn := Open(file).Connect(500000, 8)
	if err := conn.Transfer([]byte{1, 5, 0}); err != file.err {
		t.Errorf("got %v, want %v", err, file.err)
	}
	if len(file.ops) != 1 || file.ops[0] != transferOne {
		t.Errorf("asked for the operations %#x, want one transfer", file.ops)
	}
	if err := conn.Transfer(nil); err != nil || len(file.ops) != 1 {
		t.Errorf("no data: got %v after %d operations, want no operation", err, len(file.ops))
	}
}
