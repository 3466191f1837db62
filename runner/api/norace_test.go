//go:build !race

package api

import "time"

// raceFlag is the flag of go build with which the runner is built for tests.
const raceFlag = "-race=false"

// testProgramTime is the time limit of a program.
const testProgramTime = 4 * time.Second
