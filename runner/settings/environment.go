package settings

import (
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/pflag"
)

// twin is the environment variable for a flag: RUNNER_METRICS_ADDR for --metrics-addr.
func twin(flag string) string {
	return "RUNNER_" + strings.ToUpper(strings.ReplaceAll(flag, "-", "_"))
}

// takeTwins sets the flags that were left out from the environment, and returns which ones. A variable that is empty counts as
// none.
func takeTwins(flags *pflag.FlagSet, lookup func(string) (string, bool)) (map[string]bool, error) {
	taken := map[string]bool{}
	var mistake error
	flags.VisitAll(func(f *pflag.Flag) {
		value, ok := lookup(twin(f.Name))
		if f.Changed || !ok || value == "" || mistake != nil {
			return
		}
		if err := flags.Set(f.Name, value); err != nil {
			mistake = fmt.Errorf("%s=%s in the environment: %s", twin(f.Name), value, rule(f, err))
		}
		taken[f.Name] = true
	})
	return taken, mistake
}

// plainly says of a value that cannot be read what would be right.
func plainly(err error) error {
	var invalid *pflag.InvalidValueError
	if !errors.As(err, &invalid) {
		return err
	}
	f := invalid.GetFlag()
	return fmt.Errorf("--%s %s: %s", f.Name, invalid.GetValue(), rule(f, err))
}

// rule is what the value of the flag has to be.
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

// named is a flag with its value, as it was given.
func named(flags *pflag.FlagSet, twins map[string]bool, flag string) string {
	value := flags.Lookup(flag).Value.String()
	if twins[flag] {
		return twin(flag) + "=" + value + " in the environment"
	}
	return "--" + flag + " " + value
}
