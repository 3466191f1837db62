package settings

import (
	"fmt"
	"strings"

	"github.com/spf13/pflag"
)

// A helpText has what the help says before and after the flags.
type helpText struct{ before, after string }

var (
	runnerHelp = helpText{`Serves the workbook, checks its exercises and runs its programs.

Usage: runner [flags]
       runner worker --nats urls [flags]     does the work of other runners; see runner worker --help
       runner openapi                        describes the HTTP interface, as OpenAPI 3.1 in JSON
`, `
Each flag can be set in the environment too: RUNNER_ADDR for --addr, RUNNER_METRICS_ADDR for
--metrics-addr; a flag takes precedence. Times are given as 10s or 500ms, sizes as 64MiB or 500KiB.
SIGTERM and Ctrl-C let requests under way finish; a second one ends the runner at once.
`}
	workerHelp = helpText{`Grades submissions, and checks and runs programs, for the runners of a cluster.

Usage: runner worker --nats urls [flags]
`, `
Each flag can be set in the environment too: RUNNER_NATS for --nats; a flag takes precedence. Other
users of this machine see the flags of a process, so give addresses with a password or a token in
the environment, or give a file with --nats-credentials. Times are given as 10s or 500ms.
SIGTERM and Ctrl-C give the work back, and another worker does it.
`}
)

// help returns the text that -h prints. Of the sections it has those flags that are in flags.
func help(sections []section, flags *pflag.FlagSet, text helpText) string {
	width := 0
	for _, section := range sections {
		for _, d := range section.flags {
			if flags.Lookup(d.name) != nil {
				width = max(width, len(d.name)+len(d.value))
			}
		}
	}
	var b strings.Builder
	b.WriteString(text.before)
	for _, section := range sections {
		title := "\n" + section.title + "\n"
		for _, d := range section.flags {
			f := flags.Lookup(d.name)
			if f == nil {
				continue
			}
			b.WriteString(title)
			title = ""
			fmt.Fprintf(&b, "  --%-*s  %s", width+1, d.name+" "+d.value, d.help)
			// Other defaults are in the help already, because they depend on the machine.
			if standard := f.DefValue; standard != "" && !strings.Contains(d.help, "by default") {
				fmt.Fprintf(&b, " (%s)", standard)
			}
			b.WriteString("\n")
		}
	}
	b.WriteString(text.after)
	return b.String()
}
