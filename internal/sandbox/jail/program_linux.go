//go:build amd64 || arm64

package jail

import (
	"fmt"
	"io"
	"os"

	"golang.org/x/sys/unix"
)

// A Program is a binary in memory that cannot be changed. It may run several times, also concurrently.
type Program struct{ file *os.File }

// Load copies a binary into memory. A binary of more than maxBytes bytes is an error.
func Load(binary io.Reader, maxBytes int64) (*Program, error) {
	file, err := newMemory()
	if err != nil {
		return nil, fmt.Errorf("make a file in memory for a program: %w", err)
	}
	p := &Program{file}
	n, err := io.Copy(file, io.LimitReader(binary, maxBytes+1))
	switch {
	case err != nil:
		err = fmt.Errorf("copy a program into memory: %w", err)
	case n > maxBytes:
		err = fmt.Errorf("copy a program into memory: it has more than %d bytes", maxBytes)
	default:
		err = p.seal()
	}
	if err != nil {
		p.Close()
		return nil, err
	}
	return p, nil
}

// newMemory makes a file in memory that may be executed. Linux before 6.3 does not know the flag for that.
func newMemory() (*os.File, error) {
	const flags = unix.MFD_CLOEXEC | unix.MFD_ALLOW_SEALING
	fd, err := unix.MemfdCreate("program", flags|unix.MFD_EXEC)
	if err == unix.EINVAL {
		fd, err = unix.MemfdCreate("program", flags)
	}
	if err != nil {
		return nil, os.NewSyscallError("memfd_create", err)
	}
	return os.NewFile(uintptr(fd), "program"), nil
}

// seal makes the program executable, unreadable and unchangeable. A process whose executable it cannot read is not
// dumpable: the kernel writes no core dump of it, and no process of the same user may trace it.
func (p *Program) seal() error {
	if err := p.file.Chmod(0o111); err != nil {
		return fmt.Errorf("set the mode of a program in memory: %w", err)
	}
	const seals = unix.F_SEAL_WRITE | unix.F_SEAL_GROW | unix.F_SEAL_SHRINK | unix.F_SEAL_SEAL
	if _, err := unix.FcntlInt(p.file.Fd(), unix.F_ADD_SEALS, seals); err != nil {
		return fmt.Errorf("seal a program in memory: %w", err)
	}
	return nil
}

// Close frees the memory as soon as no process runs the program.
func (p *Program) Close() error { return p.file.Close() }
