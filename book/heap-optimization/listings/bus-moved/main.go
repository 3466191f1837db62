// Command bus-moved passes the address of a request as a number, and looks at the request again after the call.
package main

import (
	"fmt"
	"runtime"
	"unsafe"
	"weak"
)

// ANCHOR: moved

type request struct{ data *[4096]byte }

func address(r *request) uintptr { return uintptr(unsafe.Pointer(r)) }

// moved reports whether a request in the frame is elsewhere after the call.
func moved() bool {
	var r request
	arg := address(&r)
	dev.Ioctl(arg)
	return arg != address(&r)
}

// collected reports whether the request's data is gone after the call.
func collected() bool {
	var r request
	r.data = new([4096]byte)
	data := weak.Make(r.data)
	dev.Ioctl(address(&r))
	return data.Value() == nil
}

// A port owns its request. Here it is on the heap, like everything that a
// package variable points to.
type port struct{ r request }

var owner = new(port)

func (p *port) transfer() (moved, collected bool) {
	p.r.data = new([4096]byte)
	data := weak.Make(p.r.data)
	arg := address(&p.r)
	dev.Ioctl(arg)
	return arg != address(&p.r), data.Value() == nil
}

func main() {
	fmt.Println("in the frame: moved", moved(), "collected", collected())
	moved, collected := owner.transfer()
	fmt.Println("in its owner: moved", moved, "collected", collected)
}

// ANCHOR_END: moved

var dev interface{ Ioctl(arg uintptr) } = slow{}

// A slow device needs more memory than there is on the stack, and meanwhile the garbage collector runs.
type slow struct{}

func (slow) Ioctl(arg uintptr) {
	grow(1000)
	runtime.GC()
}

//go:noinline
func grow(calls int) byte {
	var room [1024]byte
	if calls > 0 {
		room[calls%len(room)] = grow(calls - 1)
	}
	return room[0]
}
