package settings

import (
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/pflag"
)

// envName returns the name of the environment variable for a flag: RUNNER_METRICS_ADDR for --metrics-addr.
func envName(flag string) string {
	return "RUNNER_" + strings.ToUpper(strings.ReplaceAll(flag, "-", "_"))
}

// readEnvironment sets the flags that the command line lacks from the environment, and returns their names. An empty
// variable is ignored.
func readEnvironment(flags *pflag.FlagSet, lookup func(string) (string, bool)) (map[string]bool, error) {
	fromEnv := map[string]bool{}
	var mistake error
	flags.VisitAll(func(f *pflag.Flag) {
		value, ok := lookup(envName(f.Name))
		if f.Changed || !ok || value == "" || mistake != nil {
			return
		}
		if err := flags.Set(f.Name, value); err != nil {
			mistake = fmt.Errorf("%s=%s in the environment: %s", envName(f.Name), value, rule(f, err))
		}
		fromEnv[f.Name] = true
	})
	return fromEnv, mistake
}

// flagError returns an error that says which value would be right, if err is about a flag's value.
func flagError(err error) error {
	var invalid *pflag.InvalidValueError
	if !errors.As(err, &invalid) {
		return err
	}
	f := invalid.GetFlag()
	return fmt.Errorf("--%s %s: %s", f.Name, invalid.GetValue(), rule(f, err))
}

// rule returns what the value of a flag must be.
func rule(f *pflag.Flag, err error) string {
	switch f.Value.Type() {
	case "int", "int64":
		return "give a number"
	case "duration":
		return "give a time, such as 10s or 500ms"
	}
	var invalid *pflag.InvalidValueError
	if errors.As(err, &invalid) {
		err = invalid.Unwrap()
	}
	return err.Error()
}

// named returns a flag and its value as the user has given them.
func named(flags *pflag.FlagSet, fromEnv map[string]bool, flag string) string {
	value := flags.Lookup(flag).Value.String()
	if fromEnv[flag] {
		return envName(flag) + "=" + value + " in the environment"
	}
	return "--" + flag + " " + value
}
