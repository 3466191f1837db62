//go:build !race

package main

import "time"

// Limits on runs: a limit is the same thing at 5 and at 10 s.
const testProgramTime = 8 * time.Second
