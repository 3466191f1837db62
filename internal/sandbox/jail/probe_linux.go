//go:build amd64 || arm64

package jail

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"sync"
	"syscall"
	"time"
)

// Probe returns nil if this machine can put every layer around a process, which it tries once. The error names the
// missing layer and the kernel's reason.
var Probe = sync.OnceValue(func() error {
	// It takes some ten milliseconds. The timeout is for a very busy machine.
	ctx, cancel := context.WithTimeout(context.Background(), 30*time.Second)
	defer cancel()
	program, err := Load(bytes.NewReader(probeProgram()), 1<<10)
	if err != nil {
		return err
	}
	defer program.Close()
	c := Command{
		Program: program, Args: []string{"probe"}, Output: io.Discard, Report: io.Discard,
		Bounds: Bounds{Memory: 64 << 20, CPU: 10 * time.Second},
	}
	state, err := c.Run(ctx)
	switch {
	case err != nil:
		return err
	case ctx.Err() != nil:
		return errors.New("a process did not end")
	case state.Exit != int(syscall.EPERM):
		return &LayerError{Seccomp, fmt.Errorf("a process got the answer %d to a refused system call", state.Exit)}
	}
	return nil
})

// probeProgram returns a minimal executable with the code of exitProgram.
func probeProgram() []byte {
	const (
		header  = 64 // bytes of an ELF header, which the only program header follows
		segment = 56 // bytes of a program header
		address = 0x400000
	)
	size := uint64(header + segment + len(exitProgram))
	var b bytes.Buffer
	for _, field := range []any{
		[16]byte{0x7f, 'E', 'L', 'F', 2, 1, 1},   // 64 bits, little-endian
		uint16(2), uint16(elfMachine), uint32(1), // ET_EXEC
		uint64(address + header + segment),                                               // entry
		uint64(header), uint64(0), uint32(0), uint16(header), uint16(segment), uint16(1), // headers
		uint16(0), uint16(0), uint16(0), // no sections
		uint32(1), uint32(5), // PT_LOAD, read and execute
		uint64(0), uint64(address), uint64(address), size, size, uint64(0x1000),
		exitProgram,
	} {
		binary.Write(&b, binary.LittleEndian, field) // into memory: it cannot fail
	}
	return b.Bytes()
}
