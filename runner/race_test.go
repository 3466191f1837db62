//go:build race

package main

import "time"

// Limits on runs: the race detector slows wazero's compiler down about ten times.
const testProgramTime = 15 * time.Second
