package testmain

import (
	"io"
	"time"
	"unsafe"
)

// write passes n bytes at p to the host.
//
//go:wasmimport checkalloc write
func write(p unsafe.Pointer, n uint32)

// host is the channel under WebAssembly: a function of the host that only this package imports.
type host struct{}

func (host) Write(p []byte) (int, error) {
	write(unsafe.Pointer(unsafe.SliceData(p)), uint32(len(p)))
	return len(p), nil
}

func openChannel(time.Duration) (io.Writer, error) { return host{}, nil }
