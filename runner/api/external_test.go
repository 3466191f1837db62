package api_test

import (
	"onthestack/runner/api"
	"onthestack/runner/command"
)

// The test binary is also the runner that tests start, whose command line imports package api.
func init() { api.RunCommand = command.Run }
