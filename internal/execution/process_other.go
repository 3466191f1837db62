//go:build !unix && !js

package execution

import "os/exec"

// Bound leaves cmd as it is: nothing is bounded, and canceling its context ends the command alone.
func Bound(cmd *exec.Cmd, l ProcessLimits) {}
