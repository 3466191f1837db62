//go:build !unix

package sandbox

import "time"

// used returns nil, for the machine's clock: a process has no priority here.
func (Wasm) used() func() time.Duration { return nil }
