package settings

import (
	"errors"
	"fmt"
	"go/version"
	"math"
	"runtime"
	"slices"
	"strconv"
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
	serving.Var(onOff(&s.Prepare), "prepare",
		"whether to build the site while serving; run it in the repository's root")
	serving.StringVar(&s.Workspace, "workspace", "",
		"the `folder` whose exercises and progress pages share with checkalloc, on loopback only; by default none")

	access := newSection("Access")
	access.Var(&s.Origins, "allow-origin",
		"other origins that may use the runner, such as https://example.org, or * for all")
	access.Var(&s.Hosts, "allow-host",
		"host names, such as class.example.org, or *; by default any, or localhost on loopback")
	access.Var(&s.Proxies, "trust-proxy",
		"reverse proxies whose X-Forwarded-For is trusted, such as 127.0.0.1,10.0.0.0/8")

	work := newSection("Work")
	work.Var(word(&s.Engine, EngineAuto, EngineConfined, EngineWasm), "engine",
		"what runs checks; auto is confined on loopback without a proxy, and with a room")
	work.IntVar(&s.Concurrency, "concurrency", runtime.GOMAXPROCS(0),
		"the `number` of requests that build and run at once; by default one for each processor")
	work.IntVar(&s.Queue, "queue", -1, fmt.Sprintf(
		"the `number` of requests that may wait for a slot; by default %d times --concurrency", queuePerSlot))
	work.Var((*size)(&s.Cache), "cache", "memory for cached answers to repeated requests, 0 for none")
	work.Var(onOff(&s.Modules), "modules",
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

	watching := newSection("Watching")
	watching.StringVar(&s.MetricsAddr, "metrics-addr", "",
		"serve /metrics on `host:port`; by default on --addr, and to this machine alone")
	watching.Var(word(&s.Log, LogAuto, LogText, LogJSON), "log",
		"format of the log on stderr; auto: text, on a terminal only problems")
	return []section{serving, access, work, storage, s.roomSection(), watching}
}

func (s *Settings) roomSection() section {
	room := newSection("A room")
	room.Var(onOff(&s.Room), "room", "whether instructors may open rooms, in which a class hands in its solutions")
	room.StringVar(&s.State, "state", "",
		"the `folder` for rooms, shared programs and the instructor's token; by default rooms in --data")
	room.StringVar(&s.Title, "room-title", defaultTitle,
		"the `title` of the room that is open after the start, or empty for none; with --room-plan, the default is the "+
			"plan's title")
	room.StringVar(&s.Plan, "room-plan", "",
		"the `plan` whose exercises that room has, such as half-day; without a plan, the room has all exercises, in "+
			"the book's order")
	room.Var(onOff(&s.Continue), "room-continue",
		"whether to keep using a room of that title even if people have joined it and nothing has changed for 12 "+
			"hours; by default the runner asks this on a terminal, and elsewhere opens a new room, such as "+
			"\"Workshop (2)\"")
	room.Var(onOff(&s.SeesCode), "room-sees-code",
		"whether the instructor of that room sees the code of each participant's last check")
	room.StringVar(&s.Public, "public-url", "",
		"the `url` at which participants open the site through a proxy; by default this machine's addresses")
	room.StringVar(&s.NATS, "nats", "",
		"the `urls` of the cluster that keeps the rooms, such as nats://host:4222; by default this process does")
	room.StringVar(&s.Creds, "nats-credentials", "",
		"the `file` with the credentials for the cluster; by default none, or those in --nats")
	return room
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
		mistake = flagError(flags.Set(f.Name, value), true)
	})
	return fromEnv, mistake
}

// flagError returns an error that says which value would be right, if err is about a flag's value.
func flagError(err error, fromEnv bool) error {
	var invalid *pflag.InvalidValueError
	if !errors.As(err, &invalid) {
		return err
	}
	f := invalid.GetFlag()
	named := named(f.Name, invalid.GetValue(), fromEnv)
	switch f.Value.Type() {
	case "int", "int64":
		return fmt.Errorf("%s: give a number", named)
	case "duration":
		return fmt.Errorf("%s: give a time, such as 10s or 500ms", named)
	}
	return fmt.Errorf("%s: %w", named, invalid.Unwrap())
}

// named returns a flag and its value as the user has given them.
func named(flag, value string, fromEnv bool) string {
	if fromEnv {
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

// A size is a number of bytes, which the user writes with a unit.
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

// Set reads a number with a unit. A number without a unit is ambiguous, and an error unless it is 0.
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

// releases is a list of Go releases, "go1.27" or "go1.27.4". The user separates them by commas, without "go".
type releases []string

// maxReleases bounds the releases. Each needs a compiled standard library.
const maxReleases = 4

func (r *releases) Type() string { return "releases" }

func (r *releases) String() string { return strings.ReplaceAll(strings.Join(*r, ","), "go", "") }

// Set reads a list; "" is the empty one.
func (r *releases) Set(text string) error {
	*r = nil
	for name := range strings.SplitSeq(text, ",") {
		v := "go" + strings.TrimPrefix(strings.TrimSpace(name), "go")
		switch {
		case text == "":
		case !version.IsValid(v) || v == "go1":
			return errors.New("give releases such as 1.27 or 1.27.4, separated by commas")
		case !slices.Contains(*r, v):
			*r = append(*r, v)
		}
	}
	if len(*r) > maxReleases {
		return fmt.Errorf("give at most %d releases", maxReleases)
	}
	return nil
}

// A choice is a flag whose value is one of several, each of which the user writes as a word.
type choice[T comparable] struct {
	value  *T
	values []T
	words  []string
}

// word is a choice of words.
func word(value *string, words ...string) *choice[string] {
	return &choice[string]{value, words, words}
}

// onOff is a choice of on and off.
func onOff(value *bool) *choice[bool] {
	return &choice[bool]{value, []bool{true, false}, []string{"on", "off"}}
}

func (c *choice[T]) Type() string { return strings.Join(c.words, "|") }

func (c *choice[T]) String() string {
	if i := slices.Index(c.values, *c.value); i >= 0 {
		return c.words[i]
	}
	return ""
}

func (c *choice[T]) Set(text string) error {
	i := slices.Index(c.words, text)
	if i < 0 {
		last := len(c.words) - 1
		return fmt.Errorf("give %s or %s", strings.Join(c.words[:last], ", "), c.words[last])
	}
	*c.value = c.values[i]
	return nil
}
