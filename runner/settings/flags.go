package settings

import (
	"fmt"
	"runtime"
	"strings"
	"time"

	"github.com/spf13/pflag"
)

// A definition defines a flag, for the command line and for the help.
type definition struct {
	name, value string // "addr", and what the help calls its value, "host:port"
	add         addFlag
	help        string
}

// An addFlag adds a flag of this name to those that are parsed.
type addFlag func(flags *pflag.FlagSet, name string)

// A section is a group of flags in the help.
type section struct {
	title string
	flags []definition
}

// sections returns the definitions of the flags that set s, in the order of the help. Their defaults are here, or in s
// already.
func (s *Settings) sections() []section {
	return []section{
		{"Serving", []definition{
			{"addr", "host:port", text(&s.Addr, "127.0.0.1:8080"),
				"where to listen; 127.0.0.1 is this machine alone"},
			{"listen-fd", "number", number(&s.ListenFD, -1),
				"file descriptor of a socket that already listens on --addr; by default none"},
			{"site", "folder", text(&s.Site, "public"),
				"the built site, with the book"},
			{"prepare", "on|off", custom(&choice{on: &s.Prepare, yes: "on", no: "off"}),
				"whether to build the site while serving; run it in the repository's root"},
		}},
		{"Access", []definition{
			{"allow-origin", "origins", custom(&s.Origins),
				"other origins that may use the runner, such as https://example.org, or * for all"},
			{"allow-host", "names", custom(&s.Hosts),
				"host names, such as class.example.org, or *; by default any, or localhost on loopback"},
			{"trust-proxy", "networks", custom(&s.Proxies),
				"reverse proxies whose X-Forwarded-For is trusted, such as 127.0.0.1,10.0.0.0/8"},
		}},
		{"Work", []definition{
			{"engine", "auto|confined|wasm", custom(&word{&s.Engine, []string{EngineAuto, EngineConfined, EngineWasm}}),
				"what runs checks; auto is confined on loopback without a proxy, and with a room"},
			{"concurrency", "number", number(&s.Concurrency, runtime.GOMAXPROCS(0)),
				"requests that build and run at once; by default one for each processor"},
			{"queue", "number", number(&s.Queue, -1),
				"requests that may wait for a slot; by default " + fmt.Sprint(queuePerSlot) + " times --concurrency"},
			{"cache", "size", custom((*size)(&s.Cache)),
				"memory for cached answers to repeated requests, 0 for none"},
			{"modules", "on|off", custom(&choice{on: &s.Modules, yes: "on", no: "off"}),
				"whether programs may import third-party modules, fetched as GOPROXY says"},
			{"releases", "releases", custom((*releases)(&s.Releases)),
				"more Go releases to step through programs on, such as 1.27; by default none"},
			{"request-time", "time", duration(&s.RequestTime, 0),
				"how long one request may take in all; by default 5s more than its longest part may"},
			{"build-time", "time", duration(&s.BuildTime, 10*time.Second),
				"how long one build may take"},
			{"run-time", "time", duration(&s.Program.Time, s.Program.Time),
				"how long a program may run; the tests and benchmarks of a check " + fmt.Sprint(CheckTimes) +
					" times as long"},
			{"stop-time", "time", duration(&s.StopTime, 30*time.Second),
				"how long a stopping server waits for requests under way or in the queue"},
		}},
		{"Storage", []definition{
			{"data", "folder", text(&s.Data, ""),
				"folder for what is built; by default onthestack/runner in the user's cache folder"},
			{"snippets", "file", text(&s.Snippets, ""),
				"SQLite file of shared programs, off for none; by default snippets.db in --data"},
			{"snippets-max", "number", number64(&s.Keep.Count, s.Keep.Count),
				"the most programs in that file"},
			{"snippets-bytes", "size", custom((*size)(&s.Keep.Bytes)),
				"the most bytes of these programs together"},
			{"snippets-client-max", "number", number64(&s.Keep.ClientCount, s.Keep.ClientCount),
				"the most programs of one client, that is one address, in that file"},
			{"snippets-client-bytes", "size", custom((*size)(&s.Keep.ClientBytes)),
				"the most bytes of the programs of one client"},
			{"snippets-client-rate", "number", number(&s.Keep.ClientRate, s.Keep.ClientRate),
				"the most new programs that one client may share in a minute"},
			{"snippets-evict", "time", duration(&s.Keep.Evict, 0),
				"when full, remove programs last shared longer ago than this, 0 for never"},
		}},
		{"A room", []definition{
			{"room", "on|off", custom(&choice{on: &s.Room, yes: "on", no: "off"}),
				"whether instructors may open rooms, in which a class hands in its solutions"},
			{"state", "folder", text(&s.State, ""),
				"folder for the rooms and the instructor's token; by default rooms in --data"},
			{"room-title", "text", text(&s.Title, "Workshop"),
				"title of the room that is open after the start, empty for none"},
			{"nats", "urls", text(&s.NATS, ""),
				"cluster that keeps the rooms, such as nats://host:4222; by default this process does"},
			{"nats-credentials", "file", text(&s.Creds, ""),
				"credentials for the cluster; by default none, or those in --nats"},
		}},
		{"Watching", []definition{
			{"metrics-addr", "host:port", text(&s.MetricsAddr, ""),
				"where to serve /metrics; by default on --addr, and to this machine alone"},
			{"log", "auto|text|json", custom(&word{&s.Log, []string{LogAuto, LogText, LogJSON}}),
				"format of the log on stderr; auto: text, on a terminal only problems"},
		}},
	}
}

func text(p *string, byDefault string) addFlag {
	return func(flags *pflag.FlagSet, name string) { flags.StringVar(p, name, byDefault, "") }
}

func number(p *int, byDefault int) addFlag {
	return func(flags *pflag.FlagSet, name string) { flags.IntVar(p, name, byDefault, "") }
}

func number64(p *int64, byDefault int64) addFlag {
	return func(flags *pflag.FlagSet, name string) { flags.Int64Var(p, name, byDefault, "") }
}

func duration(p *time.Duration, byDefault time.Duration) addFlag {
	return func(flags *pflag.FlagSet, name string) { flags.DurationVar(p, name, byDefault, "") }
}

// custom adds a flag that value parses.
func custom(value pflag.Value) addFlag {
	return func(flags *pflag.FlagSet, name string) { flags.Var(value, name, "") }
}

// flagSet returns the flags of the sections.
func flagSet(sections []section) *pflag.FlagSet {
	flags := newFlagSet()
	for _, section := range sections {
		for _, d := range section.flags {
			d.add(flags, d.name)
		}
	}
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
