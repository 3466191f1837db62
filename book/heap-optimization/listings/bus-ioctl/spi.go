// Package spi asks the kernel to exchange bytes with a chip on a serial bus.
package spi

import "unsafe"

// ANCHOR: file

// A request tells the kernel what to transfer. The kernel prescribes the
// layout: 32 bytes on a 64-bit machine.
type request struct {
	out, in *byte // what is sent, and where the answer goes
	length  uint32
	hz      uint32 // clock
	delay   uint16 // microseconds after the transfer
	bits    uint8  // in a word
	hold    uint8  // 1 keeps the chip selected
	_       uint32
}

// A File is a device file. Ioctl passes two numbers to the kernel, which takes
// arg for the address of a request.
type File interface {
	Ioctl(op uint, arg uintptr) error
}

// ANCHOR_END: file

// transferOne is the number of the operation that carries out one request.
const transferOne = 0x40206b00

// ANCHOR: driver

// A Port is a socket for one chip.
type Port struct {
	file File
}

// A Conn is the connection to a port's chip.
type Conn struct {
	port *Port
	hz   uint32
	bits uint8
}

// Open returns the port of a device file.
func Open(file File) *Port {
	return &Port{file: file}
}

// Connect sets the clock and the word size. A port is connected once.
func (p *Port) Connect(hz uint32, bits uint8) *Conn {
	return &Conn{port: p, hz: hz, bits: bits}
}

// ANCHOR: transfer

// Transfer sends data to the chip and puts the answer in its place.
func (c *Conn) Transfer(data []byte) error {
	if len(data) == 0 {
		return nil
	}
	var r request
	r.out, r.in, r.length = &data[0], &data[0], uint32(len(data))
	r.hz, r.bits = c.hz, c.bits
	return c.port.file.Ioctl(transferOne, uintptr(unsafe.Pointer(&r)))
}

// ANCHOR_END: transfer
// ANCHOR_END: driver
