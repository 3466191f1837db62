//go:build !unix

package api

import "os"

// canSuspend reports whether suspend has an effect.
const canSuspend = false

// suspend does nothing: this system has no signals.
func suspend(*os.Process, bool) {}
