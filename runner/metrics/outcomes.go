package metrics

import (
	"context"
	"errors"
	"strings"

	"onthestack/internal/direct"
	"onthestack/internal/playground"
	"onthestack/internal/verdict"
)

// An Outcome is how a build or a run ended: one of the four here, or the limit that ended it.
type Outcome string

const (
	outcomeOK     Outcome = "ok"
	outcomeFailed Outcome = "failed" // a mistake in what was sent: it does not build, or the program ends with an exit code other than 0
	outcomeError  Outcome = "error"  // the runner's own failure

	outcomeCanceled Outcome = "canceled" // its client left, or its slot went to another request
)

// A limit is what ended a build or a run, or had a request refused.
type limit string

const (
	limitBuildTime   limit = "build_time"   // by the clock, or of the processor
	limitBuildMemory limit = "build_memory" // its own limit, or the machine's: builds that the system killed are counted here
	limitBuildOutput limit = "build_output"
	limitBuildOther  limit = "build_other" // size of files
	limitRunTime     limit = "run_time"    // that of the program, or of making it ready
	limitRunMemory   limit = "run_memory"
	limitRunOutput   limit = "run_output"
	limitRunStack    limit = "run_stack"
	limitBody        limit = "body_size"
	limitQueue       limit = "queue"
	limitUnread      limit = "unread"
	limitSnippets    limit = "snippets" // of the whole store

	limitSnippetsClient limit = "snippets_client" // of one client in the store
	limitSnippetsRate   limit = "snippets_rate"   // of one client's new snippets in a minute
)

// allLimits are shown from the start.
var allLimits = []limit{
	limitBuildTime, limitBuildMemory, limitBuildOutput, limitBuildOther, limitRunTime, limitRunMemory, limitRunOutput, limitRunStack,
	limitBody, limitQueue, limitUnread, limitSnippets, limitSnippetsClient, limitSnippetsRate,
}

// limit is the limit that ended a build or a run; ended is false where none did.
func (o Outcome) limit() (_ limit, ended bool) {
	return limit(o), o != outcomeOK && o != outcomeFailed && o != outcomeCanceled && o != outcomeError
}

// Transient reports whether what ended so may end otherwise another time: it hit a limit of time or of the machine.
func (o Outcome) Transient() bool {
	switch limit(o) {
	case limitBuildTime, limitBuildMemory, limitBuildOther, limitRunTime:
		return true
	}
	return false
}

// These say which limit a build, or a run of tests, reached, by what its Stopped begins with.
var (
	buildLimits = map[string]limit{
		direct.TookTooLong: limitBuildTime,
		direct.Used:        limitBuildTime,
		direct.Needed:      limitBuildMemory,
		direct.Killed:      limitBuildMemory,
		direct.Printed:     limitBuildOutput,
		direct.Wrote:       limitBuildOther,
	}
	testLimits = map[string]limit{
		playground.RanLonger:   limitRunTime,
		playground.NotReadyYet: limitRunTime,
		playground.Printed:     limitRunOutput,
		playground.Recursed:    limitRunStack,
	}
)

// stopped is the limit that what Stopped says stands for, or else other.
func stopped(limits map[string]limit, said string, other limit) Outcome {
	for words, l := range limits {
		if strings.HasPrefix(said, words) {
			return Outcome(l)
		}
	}
	return Outcome(other)
}

// ofError is how a build or a run ended that returned an error.
func ofError(err error) Outcome {
	if errors.Is(err, context.Canceled) {
		return outcomeCanceled
	}
	return outcomeError
}

// ofBuild is how a build ended.
func ofBuild(b *verdict.Build, err error) Outcome {
	switch {
	case err != nil:
		return ofError(err)
	case b.OK:
		return outcomeOK
	case b.Stopped == "":
		return outcomeFailed
	}
	return stopped(buildLimits, b.Stopped, limitBuildOther)
}

// ofProgram is how a program ended. One for which there is no memory ends by itself, and says so.
func ofProgram(ran *playground.Run, err error) Outcome {
	if err != nil {
		return ofError(err)
	}
	for _, event := range ran.Events {
		if ran.Exit == 2 && event.Kind == "stderr" && strings.Contains(event.Message, "fatal error: out of memory") {
			return Outcome(limitRunMemory)
		}
	}
	switch ran.Stop {
	case playground.OutOfTime, playground.NotReady:
		return Outcome(limitRunTime)
	case playground.TooMuchOutput:
		return Outcome(limitRunOutput)
	case playground.TooDeep:
		return Outcome(limitRunStack)
	}
	return ofExit(ran.Exit)
}

// ofTests is how a check's tests ended.
func ofTests(run *verdict.Run, err error) Outcome {
	switch {
	case err != nil:
		return ofError(err)
	case run.Stopped == "":
		return ofExit(run.Exit)
	}
	return stopped(testLimits, run.Stopped, limitRunStack)
}

// ofExit is how what was not stopped ended.
func ofExit(exit int) Outcome {
	if exit != 0 {
		return outcomeFailed
	}
	return outcomeOK
}
