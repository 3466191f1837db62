//go:build !wasm

package testmain

import (
	"fmt"
	"io"
	"os"
	"strconv"
	"time"

	"onthestack/internal/harness/wire"
)

// openChannel opens the file that the checker named or, for a confined program, the file descriptor that the checker
// opened. A solver's program knows neither the name nor the number, and the imports that an exercise allows give it no
// way to find out or to use it. The program exits after orphaned, which is longer than the checker lets it run, unless
// orphaned is 0.
func openChannel(orphaned time.Duration) (io.Writer, error) {
	if os.Getenv(wire.DescriptorVariable) != "" {
		descriptor, err := strconv.Atoi(os.Getenv(wire.DescriptorVariable))
		if err != nil {
			return nil, fmt.Errorf("%s: %w", wire.DescriptorVariable, err)
		}
		os.Unsetenv(wire.DescriptorVariable)
		return os.NewFile(uintptr(descriptor), "report"), nil
	}
	name := os.Getenv(wire.FileVariable)
	if name == "" {
		return nil, fmt.Errorf("%s is not set: this program is run by checkalloc", wire.FileVariable)
	}
	os.Unsetenv(wire.FileVariable)
	// If the checker was killed, nothing stops the program, so it has to exit by itself. There is no such timer under
	// WebAssembly, where programs end with the checker: the timer would keep the runtime from detecting a deadlock.
	if orphaned > 0 {
		time.AfterFunc(orphaned, func() { os.Exit(2) })
	}
	return os.OpenFile(name, os.O_WRONLY|os.O_APPEND, 0)
}
