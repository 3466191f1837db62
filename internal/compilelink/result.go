package compilelink

import "onthestack/internal/execution"

// A Result is how a tool ended, or a build by its tools.
type Result struct {
	OK     bool
	Output []byte // stdout and stderr
	Stop   execution.Stop
}
