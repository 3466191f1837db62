package metrics

import (
	"context"
	"errors"

	"onthestack/internal/execution"
)

// A result says how a build or a run ended: it is one of these four, or the limit that ended it.
type result string

const (
	resultOK     result = "ok"
	resultFailed result = "failed" // the program does not build, or its exit code is not 0
	resultError  result = "error"  // a failure of the runner

	resultCanceled result = "canceled" // the client left, or the slot went to another request
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
	limitBuildTime, limitBuildMemory, limitBuildOutput, limitBuildOther, limitRunTime, limitRunMemory,
	limitRunOutput, limitRunStack,
	limitBody, limitQueue, limitUnsent, limitSnippets, limitSnippetsClient, limitSnippetsRate,
}

// limit returns the limit that ended the build or the run, if there is one.
func (r result) limit() (_ limit, ok bool) {
	return limit(r), r != resultOK && r != resultFailed && r != resultCanceled && r != resultError
}

// buildStopResult returns the result of a build that a limit ended.
func buildStopResult(kind execution.Kind) result {
	switch kind {
	case execution.BuildTime, execution.ProcessorTime:
		return result(limitBuildTime)
	case execution.Memory, execution.Killed:
		return result(limitBuildMemory)
	case execution.Output:
		return result(limitBuildOutput)
	}
	return result(limitBuildOther)
}

// runStopResult returns the result of a run that a limit ended.
func runStopResult(kind execution.Kind) result {
	switch kind {
	case execution.Output:
		return result(limitRunOutput)
	case execution.StackDepth:
		return result(limitRunStack)
	}
	return result(limitRunTime)
}

// errorResult returns the result of a build or a run that returned an error.
func errorResult(err error) result {
	if errors.Is(err, context.Canceled) {
		return resultCanceled
	}
	return resultError
}

// buildResult returns the result of a build.
func buildResult(ok bool, stop execution.Kind, err error) result {
	switch {
	case err != nil:
		return errorResult(err)
	case ok:
		return resultOK
	case stop == execution.NotStopped:
		return resultFailed
	}
	return buildStopResult(stop)
}

// programResult returns the result of a run of a program. A program that gets no more memory ends by itself, with a
// message.
func programResult(run *execution.Result, err error) result {
	if err != nil {
		return errorResult(err)
	}
	for _, event := range run.Events {
		if run.Exit == 2 && event.Kind == "stderr" && execution.OutOfMemory([]byte(event.Message)) {
			return result(limitRunMemory)
		}
	}
	if run.Stop.Kind != execution.NotStopped {
		return runStopResult(run.Stop.Kind)
	}
	return exitResult(run.Exit)
}

// testsResult returns the result of a run of a check's tests.
func testsResult(run *execution.TestRun, err error) result {
	switch {
	case err != nil:
		return errorResult(err)
	case run.Stop.Kind == execution.NotStopped:
		return exitResult(run.Exit)
	}
	return runStopResult(run.Stop.Kind)
}

// exitResult returns the result of a run that no limit ended.
func exitResult(exit int) result {
	if exit != 0 {
		return resultFailed
	}
	return resultOK
}
