package metrics

import (
	"cmp"
	"context"
	"errors"

	"onthestack/internal/execution"
)

// A result says how a build or a run ended. It is one of the first four, or the limit that ended it. The limits are
// also the values of the label of limits_total, which counts refused requests too.
type result string

const (
	resultOK     result = "ok"
	resultFailed result = "failed" // the program does not build, or its exit code is not 0
	resultError  result = "error"  // a failure of the runner

	resultCanceled result = "canceled" // the client left, or the slot went to another request

	limitBuildTime   result = "build_time"   // elapsed time or processor time
	limitBuildMemory result = "build_memory" // includes builds that the system killed
	limitBuildOutput result = "build_output"
	limitBuildOther  result = "build_other" // the size of files
	limitRunTime     result = "run_time"    // of the program, or of compiling it for the sandbox
	limitRunMemory   result = "run_memory"
	limitRunOutput   result = "run_output"
	limitRunStack    result = "run_stack"
	limitBody        result = "body_size"
	limitQueue       result = "queue"
	limitUnsent      result = "unread"
	limitSnippets    result = "snippets" // the limits of the whole store

	limitSnippetsClient result = "snippets_client" // the limits of one client
	limitSnippetsRate   result = "snippets_rate"   // one client's new snippets in a minute
)

// allLimits are the limits that New shows as 0.
var allLimits = []result{
	limitBuildTime, limitBuildMemory, limitBuildOutput, limitBuildOther, limitRunTime, limitRunMemory,
	limitRunOutput, limitRunStack,
	limitBody, limitQueue, limitUnsent, limitSnippets, limitSnippetsClient, limitSnippetsRate,
}

// buildLimits and runLimits have the results of builds and of runs that a limit ended.
var (
	buildLimits = map[execution.Kind]result{
		execution.BuildTime: limitBuildTime, execution.ProcessorTime: limitBuildTime,
		execution.Memory: limitBuildMemory, execution.Killed: limitBuildMemory, execution.Output: limitBuildOutput,
	}
	runLimits = map[execution.Kind]result{execution.Output: limitRunOutput, execution.StackDepth: limitRunStack}
)

// buildResult returns the result of a build.
func buildResult(ok bool, stop execution.Kind, err error) result {
	return ended(ok, stop, err, cmp.Or(buildLimits[stop], limitBuildOther))
}

// programResult returns the result of a run of a program. A program that gets no more memory ends by itself, with a
// message.
func programResult(run *execution.Result, err error) result {
	if err != nil {
		return ended(false, 0, err, "")
	}
	for _, event := range run.Events {
		if run.Exit == 2 && event.Kind == "stderr" && execution.OutOfMemory([]byte(event.Message)) {
			return limitRunMemory
		}
	}
	return runResult(run.Exit, run.Stop.Kind)
}

// testsResult returns the result of a run of a check's tests.
func testsResult(run *execution.TestRun, err error) result {
	if err != nil {
		return ended(false, 0, err, "")
	}
	return runResult(run.Exit, run.Stop.Kind)
}

func runResult(exit int, stop execution.Kind) result {
	return ended(exit == 0, stop, nil, cmp.Or(runLimits[stop], limitRunTime))
}

// ended returns limit if stop is one, and otherwise the result of a build or a run that ended by itself.
func ended(ok bool, stop execution.Kind, err error, limit result) result {
	switch {
	case errors.Is(err, context.Canceled):
		return resultCanceled
	case err != nil:
		return resultError
	case stop != execution.NotStopped:
		return limit
	case ok:
		return resultOK
	}
	return resultFailed
}
