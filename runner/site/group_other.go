//go:build !unix

package site

import (
	"os"
	"os/exec"
)

// There are no process groups: the command ends alone.
func asGroup(*exec.Cmd) {}

func interruptGroup(leader *os.Process) { leader.Kill() }

func killGroup(leader *os.Process) { leader.Kill() }

func groupRuns(*os.Process) bool { return false }
