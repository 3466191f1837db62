package main

import (
	"strings"

	"onthestack/internal/sandbox"
	"onthestack/internal/toolchain"
	"onthestack/internal/verdict"
)

// How a build or a run ended, where it did not end at a limit.
const (
	outcomeOK     = "ok"
	outcomeFailed = "failed" // a mistake in what was sent: it does not build, or the program ends with an exit code other than 0
	outcomeError  = "error"  // the runner's own failure
)

// A limit is what ended a build or a run, or had a request refused.
type limit string

const (
	limitBuildTime   limit = "build_time"   // by the clock, or of the processor
	limitBuildMemory limit = "build_memory" // its own limit, or the machine's: builds that the system killed are counted here
	limitBuildOutput limit = "build_output"
	limitBuildOther  limit = "build_other" // size of files
	limitRunTime     limit = "run_time"
	limitRunMemory   limit = "run_memory"
	limitRunOutput   limit = "run_output"
	limitRunStack    limit = "run_stack"
	limitBody        limit = "body_size"
	limitQueue       limit = "queue"
	limitSnippets    limit = "snippets"
)

func isLimit(outcome string) bool {
	return outcome != outcomeOK && outcome != outcomeFailed && outcome != outcomeError
}

// buildLimits say which limit a build reached, by what its Stopped begins with.
var buildLimits = map[string]limit{
	toolchain.TookTooLong: limitBuildTime,
	toolchain.Used:        limitBuildTime,
	toolchain.Needed:      limitBuildMemory,
	toolchain.Killed:      limitBuildMemory,
	toolchain.Printed:     limitBuildOutput,
	toolchain.Wrote:       limitBuildOther,
}

// buildOutcome is how a build ended.
func buildOutcome(b *verdict.Build, err error) string {
	switch {
	case err != nil:
		return outcomeError
	case b.OK:
		return outcomeOK
	case b.Stopped == "":
		return outcomeFailed
	}
	for words, l := range buildLimits {
		if strings.HasPrefix(b.Stopped, words) {
			return string(l)
		}
	}
	return string(limitBuildOther)
}

// programOutcome is how a program ended. One for which there is no memory ends by itself, and says so.
func programOutcome(ran *sandbox.ProgramRun) string {
	for _, event := range ran.Events {
		if ran.Exit == 2 && event.Kind == "stderr" && strings.Contains(event.Message, "fatal error: out of memory") {
			return string(limitRunMemory)
		}
	}
	return runOutcome(ran.Stop, ran.Exit, nil)
}

// runOutcome is how a run ended.
func runOutcome(stop sandbox.Stop, exit int, err error) string {
	switch {
	case err != nil:
		return outcomeError
	case stop == sandbox.OutOfTime:
		return string(limitRunTime)
	case stop == sandbox.TooMuchOutput:
		return string(limitRunOutput)
	case stop == sandbox.TooDeep:
		return string(limitRunStack)
	case exit != 0:
		return outcomeFailed
	}
	return outcomeOK
}

// testOutcome is how a check's tests ended.
func testOutcome(run *verdict.Run, err error) string {
	switch {
	case err != nil:
		return outcomeError
	case run.Stopped == "":
		return runOutcome(sandbox.NotStopped, run.Exit, nil)
	case strings.HasPrefix(run.Stopped, "ran longer"):
		return string(limitRunTime)
	case strings.HasPrefix(run.Stopped, "printed"):
		return string(limitRunOutput)
	}
	return string(limitRunStack)
}
