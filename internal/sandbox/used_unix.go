//go:build unix

package sandbox

import (
	"syscall"
	"time"
)

// used returns the clock of the limit on a program's time: the processor time of this process if the program is alone
// in it, nil for the machine's clock.
func (w Wasm) used() func() time.Duration {
	if !w.OwnProcess {
		return nil
	}
	return func() time.Duration {
		var u syscall.Rusage
		if syscall.Getrusage(syscall.RUSAGE_SELF, &u) != nil {
			return 0 // then the caller's context ends the program
		}
		return time.Duration(u.Utime.Nano() + u.Stime.Nano())
	}
}
