package settings

import (
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/pflag"
)

// OneFile is the name of the program that has the site inside.
const OneFile = "onthestack"

// A Command is a command that has settings, as the user types it before the flags.
type Command string

// The commands of the runner and of OneFile. OneFile has the site inside, so its commands have no flags about it.
// OneFileRoom always has rooms, and OneFileServe also serves where Go is not installed.
const (
	Runner        Command = "runner"
	RunnerWorker  Command = "runner worker"
	OneFileServe  Command = OneFile + " serve"
	OneFileRoom   Command = OneFile + " room"
	OneFileWorker Command = OneFile + " worker"
)

// IsWorker reports whether the command does the work of other runners.
func (c Command) IsWorker() bool { return c == RunnerWorker || c == OneFileWorker }

func (c Command) inOneFile() bool { return strings.HasPrefix(string(c), OneFile) }

// workerFlags are the flags of a worker. The cluster's flags, which servers have too, mean the same there.
var workerFlags = []string{"nats", "nats-credentials", "concurrency", "modules", "request-time", "build-time",
	"run-time", "engine", "data", "log"}

// has reports whether the command has a flag.
func (c Command) has(flag string) bool {
	switch {
	case c.IsWorker():
		return slices.Contains(workerFlags, flag)
	case c.inOneFile():
		return flag != "site" && flag != "prepare" && (c != OneFileRoom || flag != "room" && flag != "workspace")
	}
	return true
}

// text returns what the help says before and after the flags.
func (c Command) text() (before, after string) {
	after = `
Each flag can be set in the environment too: RUNNER_ADDR for --addr, RUNNER_METRICS_ADDR for
--metrics-addr; a flag takes precedence. Times are given as 10s or 500ms, sizes as 64MiB or 500KiB.
SIGTERM and Ctrl-C let requests under way finish; a second one ends the runner at once.
`
	switch c {
	case Runner:
		return `Serves the workbook, checks its exercises and runs its programs.

Usage: runner [flags]
       runner worker --nats urls [flags]     does the work of other runners; see runner worker --help
       runner openapi                        describes the HTTP interface, as OpenAPI 3.1 in JSON
`, after
	case OneFileServe:
		return `Serves the workbook, checks its exercises and runs its programs. Without Go on this machine, it serves
the workbook, and the pages check and run by themselves.

Usage: onthestack serve [flags]
`, after
	case OneFileRoom:
		return `Serves the workbook with a room, in which a class hands in its solutions. It needs Go on this machine.

Usage: onthestack room [flags]
`, after
	}
	return "Grades submissions, and checks and runs programs, for the runners of a cluster.\n\n" +
			"Usage: " + string(c) + " --nats urls [flags]\n", `
Each flag can be set in the environment too: RUNNER_NATS for --nats; a flag takes precedence. Other
users of this machine see the flags of a process, so give addresses with a password or a token in
the environment, or give a file with --nats-credentials. Times are given as 10s or 500ms.
SIGTERM and Ctrl-C give the work back, and another worker does it.
`
}

// helpWidth is the width of the help in columns.
const helpWidth = 119

// help returns the text that -h prints. Of the sections it has those flags that are in flags.
func (c Command) help(sections []section, flags *pflag.FlagSet) string {
	var b strings.Builder
	before, after := c.text()
	b.WriteString(before)
	for _, section := range sections {
		shown := newSection(section.title)
		section.VisitAll(func(f *pflag.Flag) {
			if flags.Lookup(f.Name) == nil {
				return
			}
			if f.Value.Type() == "int" && strings.Contains(f.Usage, "by default") {
				f.DefValue = "0" // not shown: it depends on the machine, or on other flags
			}
			shown.AddFlag(f)
		})
		if shown.HasFlags() {
			fmt.Fprintf(&b, "\n%s\n%s", shown.title, shown.FlagUsagesWrapped(helpWidth))
		}
	}
	b.WriteString(after)
	return b.String()
}
