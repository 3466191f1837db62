package main

import (
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/spf13/pflag"
)

const (
	usage = `Serves the workbook, checks its exercises and runs its programs.

Usage: runner [flags]
`
	usageEnd = `
Each flag can be set in the environment too: RUNNER_ADDR for --addr, RUNNER_METRICS_ADDR for
--metrics-addr; a flag goes before. Times are given as 10s or 500ms, sizes as 64MiB or 500KiB.
SIGTERM and Ctrl-C let requests under way finish; a second one ends the runner at once.
`
)

// help is what -h prints.
func help(flags *pflag.FlagSet) string {
	width := 0
	for _, group := range settings {
		for _, s := range group.flags {
			width = max(width, len(s.name)+len(s.value))
		}
	}
	var b strings.Builder
	b.WriteString(usage)
	for _, group := range settings {
		fmt.Fprintf(&b, "\n%s\n", group.title)
		for _, s := range group.flags {
			fmt.Fprintf(&b, "  --%-*s  %s", width+1, s.name+" "+s.value, s.help)
			// The others' defaults depend on the machine, or are nothing.
			if d := flags.Lookup(s.name).DefValue; d != "" && !strings.Contains(s.help, "by default") {
				fmt.Fprintf(&b, " (%s)", d)
			}
			b.WriteString("\n")
		}
	}
	b.WriteString(usageEnd)
	return b.String()
}

// twoDashes makes "-addr" of the flag package's style "--addr". No flag here has a short form.
func twoDashes(args []string, flags *pflag.FlagSet) []string {
	var out []string
	for _, arg := range args {
		name, _, _ := strings.Cut(strings.TrimPrefix(arg, "-"), "=")
		if !strings.HasPrefix(arg, "--") && strings.HasPrefix(arg, "-") && flags.Lookup(name) != nil {
			arg = "-" + arg
		}
		out = append(out, arg)
	}
	return out
}

// A size is a number of bytes, written with its unit.
type size int64

var units = []struct {
	name  string
	bytes size
}{{"GiB", 1 << 30}, {"MiB", 1 << 20}, {"KiB", 1 << 10}}

func (s *size) Type() string { return "size" }

func (s *size) String() string {
	for _, u := range units {
		if *s > 0 && *s%u.bytes == 0 {
			return strconv.FormatInt(int64(*s/u.bytes), 10) + u.name
		}
	}
	return strconv.FormatInt(int64(*s), 10)
}

// Set reads a number with a unit. Without one it is refused, save 0: some would take it for bytes, others for MiB.
func (s *size) Set(text string) error {
	if text == "0" {
		*s = 0
		return nil
	}
	for _, u := range units {
		if number, ok := strings.CutSuffix(text, u.name); ok {
			n, err := strconv.ParseInt(strings.TrimSpace(number), 10, 64)
			if err == nil && n >= 0 && n <= math.MaxInt64/int64(u.bytes) {
				*s = size(n) * u.bytes
				return nil
			}
		}
	}
	return errors.New("give a size with its unit, such as 64MiB or 500KiB")
}

// A choice is one of two words.
type choice struct {
	on      *bool
	yes, no string
}

func (c *choice) Type() string { return c.yes + "|" + c.no }

func (c *choice) String() string {
	if *c.on {
		return c.yes
	}
	return c.no
}

func (c *choice) Set(text string) error {
	if text != c.yes && text != c.no {
		return fmt.Errorf("give %s or %s", c.yes, c.no)
	}
	*c.on = text == c.yes
	return nil
}

func (p *trustedProxies) Type() string { return "networks" }

func (p *trustedProxies) String() string {
	var all []string
	for _, prefix := range *p {
		all = append(all, prefix.String())
	}
	return strings.Join(all, ",")
}

func (p *trustedProxies) Set(list string) (err error) {
	*p, err = parseProxies(list)
	return err
}
