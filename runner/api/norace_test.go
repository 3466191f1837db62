//go:build !race

package api

import "time"

// testProgramTime is the time limit of a program.
const testProgramTime = 4 * time.Second
