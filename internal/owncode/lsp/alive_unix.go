//go:build unix

package lsp

import (
	"errors"
	"syscall"
)

// alive reports whether a process exists.
func alive(pid int) bool { return !errors.Is(syscall.Kill(pid, 0), syscall.ESRCH) }
