package metrics

import (
	"context"
	"errors"
	"strings"

	"onthestack/internal/direct"
	"onthestack/internal/playground"
	"onthestack/internal/verdict"
)

// A Result says how a build or a run ended: it is one of these four, or the limit that ended it.
type Result string

const (
	resultOK     Result = "ok"
	resultFailed Result = "failed" // the program does not build, or its exit code is not 0
	resultError  Result = "error"  // a failure of the runner

	resultCanceled Result = "canceled" // the client left, or the slot went to another request
)

// A limit is the value of the label of limits_total: a limit that ended a build or a run, or for which a request was
// refused.
type limit string

const (
	limitBuildTime   limit = "build_time"   // elapsed time or processor time
	limitBuildMemory limit = "build_memory" // includes builds that the system killed
	limitBuildOutput limit = "build_output"
	limitBuildOther  limit = "build_other" // the size of files
	limitRunTime     limit = "run_time"    // of the program, or of compiling it for the sandbox
	limitRunMemory   limit = "run_memory"
	limitRunOutput   limit = "run_output"
	limitRunStack    limit = "run_stack"
	limitBody        limit = "body_size"
	limitQueue       limit = "queue"
	limitUnsent      limit = "unread"
	limitSnippets    limit = "snippets" // the limits of the whole store

	limitSnippetsClient limit = "snippets_client" // the limits of one client
	limitSnippetsRate   limit = "snippets_rate"   // one client's new snippets in a minute
)

// allLimits are the limits that New shows as 0.
var allLimits = []limit{
	limitBuildTime, limitBuildMemory, limitBuildOutput, limitBuildOther, limitRunTime, limitRunMemory, limitRunOutput, limitRunStack,
	limitBody, limitQueue, limitUnsent, limitSnippets, limitSnippetsClient, limitSnippetsRate,
}

// limit returns the limit that ended the build or the run, if there is one.
func (r Result) limit() (_ limit, ok bool) {
	return limit(r), r != resultOK && r != resultFailed && r != resultCanceled && r != resultError
}

// Transient reports whether the same build or run may end in another way next time, because it reached a limit of time
// or of the machine.
func (r Result) Transient() bool {
	switch limit(r) {
	case limitBuildTime, limitBuildMemory, limitBuildOther, limitRunTime:
		return true
	}
	return false
}

// These are the limits of builds and of runs of tests, by how the text in Stopped begins.
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

// stopped returns the limit of a build or a run with this Stopped, or other if it is none of limits.
func stopped(limits map[string]limit, text string, other limit) Result {
	for prefix, l := range limits {
		if strings.HasPrefix(text, prefix) {
			return Result(l)
		}
	}
	return Result(other)
}

// errorResult returns the result of a build or a run that returned an error.
func errorResult(err error) Result {
	if errors.Is(err, context.Canceled) {
		return resultCanceled
	}
	return resultError
}

// buildResult returns the result of a build.
func buildResult(b *verdict.Build, err error) Result {
	switch {
	case err != nil:
		return errorResult(err)
	case b.OK:
		return resultOK
	case b.Stopped == "":
		return resultFailed
	}
	return stopped(buildLimits, b.Stopped, limitBuildOther)
}

// programResult returns the result of a run of a program. A program that gets no more memory ends by itself, with a
// message.
func programResult(run *playground.Run, err error) Result {
	if err != nil {
		return errorResult(err)
	}
	for _, event := range run.Events {
		if run.Exit == 2 && event.Kind == "stderr" && strings.Contains(event.Message, "fatal error: out of memory") {
			return Result(limitRunMemory)
		}
	}
	switch run.Stop {
	case playground.OutOfTime, playground.NotReady:
		return Result(limitRunTime)
	case playground.TooMuchOutput:
		return Result(limitRunOutput)
	case playground.TooDeep:
		return Result(limitRunStack)
	}
	return exitResult(run.Exit)
}

// testsResult returns the result of a run of a check's tests.
func testsResult(run *verdict.Run, err error) Result {
	switch {
	case err != nil:
		return errorResult(err)
	case run.Stopped == "":
		return exitResult(run.Exit)
	}
	return stopped(testLimits, run.Stopped, limitRunStack)
}

// exitResult returns the result of a run that no limit ended.
func exitResult(exit int) Result {
	if exit != 0 {
		return resultFailed
	}
	return resultOK
}
