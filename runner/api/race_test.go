//go:build race

package api

import "time"

// testProgramTime is longer here: the race detector slows wazero's compiler down about ten times.
const testProgramTime = 15 * time.Second
