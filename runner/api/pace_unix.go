//go:build unix

package api

import (
	"os"
	"syscall"
)

// canSuspend reports whether suspend has an effect.
const canSuspend = true

// suspend stops a process until it is resumed. A process that has ended stays as it is.
func suspend(p *os.Process, suspending bool) {
	if suspending {
		p.Signal(syscall.SIGSTOP)
	} else {
		p.Signal(syscall.SIGCONT)
	}
}
