package settings

import (
	"errors"
	"fmt"
	"runtime"
	"strings"
	"time"

	"github.com/spf13/pflag"
)

// A section is a group of flags in the help, under a title.
type section struct {
	title string
	*pflag.FlagSet
}

// sections returns the flags that set s, in the order of the help. Their defaults are here, or in s already. A word in
// backquotes is what the help calls the value.
func (s *Settings) sections() []section {
	serving := newSection("Serving")
	serving.StringVar(&s.Addr, "addr", "127.0.0.1:8080", "listen on `host:port`; 127.0.0.1 is this machine alone")
	serving.IntVar(&s.ListenFD, "listen-fd", -1,
		"serve on the socket of file descriptor `number`, which already listens on --addr; by default none")
	serving.StringVar(&s.Site, "site", "public", "the `folder` of the built site, with the book")
	serving.Var((*onOff)(&s.Prepare), "prepare",
		"whether to build the site while serving; run it in the repository's root")

	access := newSection("Access")
	access.Var(&s.Origins, "allow-origin",
		"other origins that may use the runner, such as https://example.org, or * for all")
	access.Var(&s.Hosts, "allow-host",
		"host names, such as class.example.org, or *; by default any, or localhost on loopback")
	access.Var(&s.Proxies, "trust-proxy",
		"reverse proxies whose X-Forwarded-For is trusted, such as 127.0.0.1,10.0.0.0/8")

	work := newSection("Work")
	work.Var(&word{&s.Engine, []string{EngineAuto, EngineConfined, EngineWasm}}, "engine",
		"what runs checks; auto is confined on loopback without a proxy, and with a room")
	work.IntVar(&s.Concurrency, "concurrency", runtime.GOMAXPROCS(0),
		"the `number` of requests that build and run at once; by default one for each processor")
	work.IntVar(&s.Queue, "queue", -1, fmt.Sprintf(
		"the `number` of requests that may wait for a slot; by default %d times --concurrency", queuePerSlot))
	work.Var((*size)(&s.Cache), "cache", "memory for cached answers to repeated requests, 0 for none")
	work.Var((*onOff)(&s.Modules), "modules",
		"whether programs may import third-party modules, fetched as GOPROXY says")
	work.Var((*releases)(&s.Releases), "releases",
		"more Go releases to step through programs on, such as 1.27; by default none")
	work.DurationVar(&s.RequestTime, "request-time", 0,
		"the `time` that one request may take in all; by default 5s more than its longest part may")
	work.DurationVar(&s.BuildTime, "build-time", 10*time.Second, "the `time` that one build may take")
	work.DurationVar(&s.Program.Time, "run-time", s.Program.Time, fmt.Sprintf(
		"the `time` that a program may run; the tests and benchmarks of a check %d times as long", CheckTimes))
	work.DurationVar(&s.StopTime, "stop-time", 30*time.Second,
		"the `time` that a stopping server waits for requests under way or in the queue")

	storage := newSection("Storage")
	storage.StringVar(&s.Data, "data", "",
		"the `folder` for what is built; by default onthestack/runner in the user's cache folder")
	storage.StringVar(&s.Snippets, "snippets", "",
		"whether programs can be shared, `on|off`; by default on, and kept in --state")
	storage.Int64Var(&s.Keep.Count, "snippets-max", s.Keep.Count, "the greatest `number` of shared programs")
	storage.Var((*size)(&s.Keep.Bytes), "snippets-bytes", "the most bytes of these programs together")
	storage.Int64Var(&s.Keep.ClientCount, "snippets-client-max", s.Keep.ClientCount,
		"the greatest `number` of shared programs of one client, that is one address")
	storage.Var((*size)(&s.Keep.ClientBytes), "snippets-client-bytes",
		"the most bytes of the programs of one client")
	storage.IntVar(&s.Keep.ClientRate, "snippets-client-rate", s.Keep.ClientRate,
		"the greatest `number` of new programs that one client may share in a minute")
	storage.DurationVar(&s.Keep.Evict, "snippets-evict", 0,
		"when full, remove programs last shared longer than this `time` ago, 0 for never")

	room := newSection("A room")
	room.Var((*onOff)(&s.Room), "room", "whether instructors may open rooms, in which a class hands in its solutions")
	room.StringVar(&s.State, "state", "",
		"the `folder` for rooms, shared programs and the instructor's token; by default rooms in --data")
	room.StringVar(&s.Title, "room-title", "Workshop",
		"the `title` of the room that is open after the start, empty for none")
	room.StringVar(&s.NATS, "nats", "",
		"the `urls` of the cluster that keeps the rooms, such as nats://host:4222; by default this process does")
	room.StringVar(&s.Creds, "nats-credentials", "",
		"the `file` with the credentials for the cluster; by default none, or those in --nats")

	watching := newSection("Watching")
	watching.StringVar(&s.MetricsAddr, "metrics-addr", "",
		"serve /metrics on `host:port`; by default on --addr, and to this machine alone")
	watching.Var(&word{&s.Log, []string{LogAuto, LogText, LogJSON}}, "log",
		"format of the log on stderr; auto: text, on a terminal only problems")
	return []section{serving, access, work, storage, room, watching}
}

func newSection(title string) section {
	flags := pflag.NewFlagSet("runner", pflag.ContinueOnError)
	flags.SortFlags = false
	return section{title, flags}
}

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
		fromEnv[f.Name] = true
		mistake = flagError(flags.Set(f.Name, value), envName(f.Name)+"="+value+" in the environment")
	})
	return fromEnv, mistake
}

// flagError returns an error that says which value would be right, if err is about a flag's value. The value is named as
// the user has given it, which is "--flag value" if named is "".
func flagError(err error, named string) error {
	var invalid *pflag.InvalidValueError
	if !errors.As(err, &invalid) {
		return err
	}
	f := invalid.GetFlag()
	if named == "" {
		named = "--" + f.Name + " " + invalid.GetValue()
	}
	switch f.Value.Type() {
	case "int", "int64":
		return fmt.Errorf("%s: give a number", named)
	case "duration":
		return fmt.Errorf("%s: give a time, such as 10s or 500ms", named)
	}
	return fmt.Errorf("%s: %w", named, invalid.Unwrap())
}

// named returns a flag and its value as the user has given them.
func named(flags *pflag.FlagSet, fromEnv map[string]bool, flag string) string {
	value := flags.Lookup(flag).Value.String()
	if fromEnv[flag] {
		return envName(flag) + "=" + value + " in the environment"
	}
	return "--" + flag + " " + value
}

// twoDashes turns "-addr", the style of package flag, into "--addr". No flag has a short form.
func twoDashes(args []string, flags *pflag.FlagSet) (out []string) {
	for _, arg := range args {
		name, _, _ := strings.Cut(strings.TrimPrefix(arg, "-"), "=")
		if !strings.HasPrefix(arg, "--") && strings.HasPrefix(arg, "-") && flags.Lookup(name) != nil {
			arg = "-" + arg
		}
		out = append(out, arg)
	}
	return out
}
