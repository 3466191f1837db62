//go:build race

package api

import "time"

// raceFlag is the flag of go build with which the runner is built for tests.
const raceFlag = "-race=true"

// testProgramTime is longer here: the race detector slows wazero's compiler down about ten times.
const testProgramTime = 15 * time.Second
