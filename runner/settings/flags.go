package settings

import (
	"fmt"
	"runtime"
	"strings"
	"time"

	"github.com/spf13/pflag"
)

// An entry is the help for a flag.
type entry struct{ name, value, help string }

// sections are the flags in the order of the help.
var sections = []struct {
	title   string
	entries []entry
}{
	{"Serving", []entry{
		{"addr", "host:port", "where to listen; 127.0.0.1 is this machine alone"},
		{"listen-fd", "number", "file descriptor of a socket that already listens on --addr; by default none"},
		{"site", "folder", "the built site, with the book"},
		{"prepare", "on|off", "whether to build the site while serving; run it in the repository's root"},
	}},
	{"Access", []entry{
		{"allow-origin", "origins", "other origins that may use the runner, such as https://example.org, or * for all"},
		{"allow-host", "names", "host names, such as class.example.org, or *; by default any, or localhost on loopback"},
		{"trust-proxy", "networks", "reverse proxies whose X-Forwarded-For is trusted, such as 127.0.0.1,10.0.0.0/8"},
	}},
	{"Work", []entry{
		{"engine", "auto|confined|wasm",
			"what runs checks; auto is confined on loopback without a proxy, and with a room"},
		{"concurrency", "number", "requests that build and run at once; by default one for each processor"},
		{"queue", "number", "requests that may wait for a slot; by default " + fmt.Sprint(queuePerSlot) +
			" times --concurrency"},
		{"cache", "size", "memory for cached answers to repeated requests, 0 for none"},
		{"modules", "on|off", "whether programs may import third-party modules, fetched as GOPROXY says"},
		{"releases", "releases", "more Go releases to step through programs on, such as 1.27; by default none"},
		{"request-time", "time", "how long one request may take in all; by default 5s more than its longest part may"},
		{"build-time", "time", "how long one build may take"},
		{"run-time", "time", "how long a program may run; the tests and benchmarks of a check " +
			fmt.Sprint(CheckTimes) + " times as long"},
		{"stop-time", "time", "how long a stopping server waits for requests under way or in the queue"},
	}},
	{"Storage", []entry{
		{"data", "folder", "folder for what is built; by default onthestack/runner in the user's cache folder"},
		{"snippets", "file", "SQLite file of shared programs, off for none; by default snippets.db in --data"},
		{"snippets-max", "number", "the most programs in that file"},
		{"snippets-bytes", "size", "the most bytes of these programs together"},
		{"snippets-client-max", "number", "the most programs of one client, that is one address, in that file"},
		{"snippets-client-bytes", "size", "the most bytes of the programs of one client"},
		{"snippets-client-rate", "number", "the most new programs that one client may share in a minute"},
		{"snippets-evict", "time", "when full, remove programs last shared longer ago than this, 0 for never"},
	}},
	{"A room", []entry{
		{"room", "on|off", "whether instructors may open rooms, in which a class hands in its solutions"},
		{"state", "folder", "folder for the rooms and the instructor's token; by default rooms in --data"},
		{"room-title", "text", "title of the room that is open after the start, empty for none"},
		{"nats", "urls", "cluster that keeps the rooms, such as nats://host:4222; by default this process does"},
		{"nats-credentials", "file", "credentials for the cluster; by default none, or those in --nats"},
	}},
	{"Watching", []entry{
		{"metrics-addr", "host:port", "where to serve /metrics; by default on --addr, and to this machine alone"},
		{"log", "text|json", "format of the log, which goes to stderr"},
	}},
}

// flags returns the flags that set s. Their defaults are here, or in s already.
func (s *Settings) flags() *pflag.FlagSet {
	flags := newFlagSet()
	flags.StringVar(&s.Addr, "addr", "127.0.0.1:8080", "")
	flags.IntVar(&s.ListenFD, "listen-fd", -1, "")
	flags.StringVar(&s.Site, "site", "public", "")
	flags.Var(&choice{on: &s.Prepare, yes: "on", no: "off"}, "prepare", "")
	flags.Var(&s.Proxies, "trust-proxy", "")
	flags.Var(&s.Origins, "allow-origin", "")
	flags.Var(&s.Hosts, "allow-host", "")
	flags.Var(&word{&s.Engine, []string{EngineAuto, EngineConfined, EngineWasm}}, "engine", "")
	flags.IntVar(&s.Concurrency, "concurrency", runtime.GOMAXPROCS(0), "")
	flags.IntVar(&s.Queue, "queue", -1, "")
	flags.Var((*size)(&s.Cache), "cache", "")
	flags.Var(&choice{on: &s.Modules, yes: "on", no: "off"}, "modules", "")
	flags.Var((*releases)(&s.Releases), "releases", "")
	flags.DurationVar(&s.RequestTime, "request-time", 0, "")
	flags.DurationVar(&s.BuildTime, "build-time", 10*time.Second, "")
	flags.DurationVar(&s.Program.Time, "run-time", s.Program.Time, "")
	flags.DurationVar(&s.StopTime, "stop-time", 30*time.Second, "")
	flags.StringVar(&s.Data, "data", "", "")
	flags.StringVar(&s.Snippets, "snippets", "", "")
	flags.Int64Var(&s.Keep.Count, "snippets-max", s.Keep.Count, "")
	flags.Var((*size)(&s.Keep.Bytes), "snippets-bytes", "")
	flags.Int64Var(&s.Keep.ClientCount, "snippets-client-max", s.Keep.ClientCount, "")
	flags.Var((*size)(&s.Keep.ClientBytes), "snippets-client-bytes", "")
	flags.IntVar(&s.Keep.ClientRate, "snippets-client-rate", s.Keep.ClientRate, "")
	flags.DurationVar(&s.Keep.Evict, "snippets-evict", 0, "")
	flags.Var(&choice{on: &s.Room, yes: "on", no: "off"}, "room", "")
	flags.StringVar(&s.State, "state", "", "")
	flags.StringVar(&s.Title, "room-title", "Workshop", "")
	flags.StringVar(&s.NATS, "nats", "", "")
	flags.StringVar(&s.Creds, "nats-credentials", "", "")
	flags.StringVar(&s.MetricsAddr, "metrics-addr", "", "")
	flags.Var(&choice{on: &s.LogJSON, yes: "json", no: "text"}, "log", "")
	return flags
}

func newFlagSet() *pflag.FlagSet {
	flags := pflag.NewFlagSet("runner", pflag.ContinueOnError)
	flags.Usage = func() {}
	return flags
}

// twoDashes turns "-addr", the style of package flag, into "--addr". No flag has a short form.
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

// help returns the text that -h prints.
func help(flags *pflag.FlagSet, text helpText) string {
	width := 0
	for _, section := range sections {
		for _, e := range section.entries {
			if flags.Lookup(e.name) != nil {
				width = max(width, len(e.name)+len(e.value))
			}
		}
	}
	var b strings.Builder
	b.WriteString(text.before)
	for _, section := range sections {
		title := "\n" + section.title + "\n"
		for _, e := range section.entries {
			f := flags.Lookup(e.name)
			if f == nil {
				continue
			}
			b.WriteString(title)
			title = ""
			fmt.Fprintf(&b, "  --%-*s  %s", width+1, e.name+" "+e.value, e.help)
			// Other defaults are in the help already, because they depend on the machine.
			if d := f.DefValue; d != "" && !strings.Contains(e.help, "by default") {
				fmt.Fprintf(&b, " (%s)", d)
			}
			b.WriteString("\n")
		}
	}
	b.WriteString(text.after)
	return b.String()
}
