// Package settings reads the runner's settings: the flags of its command line, each of which can be an environment
// variable too. Package api gets them as one value.
package settings

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/spf13/pflag"

	"onthestack/internal/execution"
	"onthestack/internal/sandbox"
	"onthestack/runner/clients"
	"onthestack/runner/room"
	"onthestack/runner/store"
	"onthestack/site"
)

// Settings are the settings of the command line and the environment.
type Settings struct {
	Addr string // host:port
	// ListenFD is the file descriptor of a listening socket to serve on in place of Addr; -1 for none.
	ListenFD int
	Site     string // folder of the built site, with the book in book/
	Prepare  bool   // whether to build the missing parts of the site while serving
	// Workspace is the folder in which readers of this machine solve the exercises, or a folder in it; "" for none.
	Workspace string
	Proxies   clients.Proxies
	Origins   clients.Origins // origins of other pages that may use the runner
	Hosts     clients.Hosts   // host names of the runner; if there are none, Addr decides
	// Public is the URL at which participants open the site, with a slash at its end; "" for this machine's addresses.
	Public string

	Engine      string // what runs checks: EngineAuto, EngineConfined or EngineWasm
	Concurrency int    // requests that build and run at the same time
	Queue       int    // requests that wait for one of these
	Cache       int64  // size of all cached answers in bytes
	Modules     bool   // whether programs may import third-party modules
	// Releases are further releases of Go on which programs can be stepped through: "go1.27", "go1.27.4".
	Releases []string

	Data string // folder for builds and the build cache
	// Snippets is the file in which earlier versions kept shared programs; "" if programs cannot be shared.
	Snippets string
	Keep     store.Limits // limits of the shared programs

	Room  bool   // whether rooms can be opened
	State string // folder of the rooms, the shared programs and the instructor's token
	Title string // title of the room that is opened at the start; "" for none
	Plan  string // name of the plan whose exercises the room has; "" for none
	// Exercises are the plan's, in its order; nil without a plan.
	Exercises []string
	Continue  bool   // whether to go on with a room that a class has left, without asking
	SeesCode  bool   // whether the instructor of that room sees the code of each participant's last check
	NATS      string // URLs of the cluster that keeps the rooms, which may contain a secret; "" for this process
	Creds     string // file with the credentials for the cluster; "" for none

	MetricsAddr string // host:port; "" to serve them at Addr
	Log         string // format of the log: LogAuto, LogText or LogJSON

	// These are no flags. They are for onthestack, which has the site inside.
	Command    string // what the user typed before the flags: "onthestack room"; "" for the runner
	Pages      fs.FS  // files of the built site; nil if they are in the folder Site
	GoOptional bool   // whether to serve without checking and running where Go is not installed

	RequestTime    time.Duration  // for everything that one request builds, vets, runs and formats
	BuildTime      time.Duration  // for each build
	Program, Check sandbox.Limits // of the programs and of the tests that a request runs
	StopTime       time.Duration  // for the requests under way or in the queue when the server stops
}

// The engines that run the tests of checks. Programs always run as WebAssembly.
const (
	EngineAuto     = "auto"     // EngineConfined if the machine can, and has a room or is alone; else EngineWasm
	EngineConfined = "confined" // processes that can do nothing but compute
	EngineWasm     = "wasm"     // WebAssembly inside the runner
)

// The formats of the log.
const (
	LogAuto = "auto" // LogText, but only problems where the log goes to a terminal
	LogText = "text"
	LogJSON = "json"
)

const (
	// queuePerSlot is the default number of requests that may wait for each slot: on two processors, a class of sixty
	// people who each wait for one answer.
	queuePerSlot = 32
	// CheckTimes is the factor by which a check's tests and benchmarks may run longer than a program.
	CheckTimes = 4
	// requestMargin is how much longer than its longest part a request may take by default.
	requestMargin = 5 * time.Second
	// defaultTitle is the title of the room that is opened at the start.
	defaultTitle = "Workshop"
	// MinEvict is the shortest time after which a shared program may be removed, so that a link is valid at least until
	// the end of a lesson.
	MinEvict = 24 * time.Hour
)

// Parse reads the settings from the arguments and, for each flag that they lack, from its environment variable, which
// lookup looks up. With -h it writes the help to out and returns pflag.ErrHelp. Any other error says which value would
// be right.
func (c Command) Parse(args []string, lookup func(string) (string, bool), out io.Writer) (Settings, error) {
	s := Settings{
		Room: c == OneFileRoom, GoOptional: c == OneFileServe,
		Engine: EngineAuto, Log: LogAuto, Modules: true, Cache: 64 << 20,
		Keep: store.Limits{Count: 100_000, Bytes: 256 << 20, ClientCount: 1000, ClientBytes: 16 << 20,
			ClientRate: 60},
		Program: sandbox.Limits{Time: 5 * time.Second, Output: execution.MaxOutput, Memory: execution.MaxMemory},
		Check:   sandbox.CheckLimits(),
	}
	if c.inOneFile() {
		s.Command = string(c)
	}
	sections := s.sections()
	flags := newSection("").FlagSet
	flags.Usage = func() {}
	for _, section := range sections {
		section.VisitAll(func(f *pflag.Flag) {
			if c.has(f.Name) {
				flags.AddFlag(f)
			}
		})
	}
	err := flags.Parse(twoDashes(args, flags))
	if errors.Is(err, pflag.ErrHelp) {
		fmt.Fprint(out, c.help(sections, flags))
		return s, err
	}
	if err != nil {
		return s, flagError(err, false)
	}
	if flags.NArg() > 0 {
		return s, fmt.Errorf("unexpected argument %q", flags.Arg(0))
	}
	fromEnv, err := readEnvironment(flags, lookup)
	if err != nil {
		return s, err
	}
	if !flags.Changed("queue") {
		s.Queue = queuePerSlot * s.Concurrency
	}
	s.Check.Time = CheckTimes * s.Program.Time
	if !flags.Changed("request-time") {
		s.RequestTime = max(s.BuildTime, s.Check.Time) + requestMargin
	}
	s.Check.Ready = sandbox.DefaultReady // shorter than in CheckLimits, because other requests are waiting
	if err := s.validate(func(flag string) string {
		return named(flag, flags.Lookup(flag).Value.String(), fromEnv[flag])
	}); err != nil {
		return s, err
	}
	switch {
	case c.IsWorker() && s.NATS == "":
		return s, errors.New("a worker takes its work from a NATS cluster: " +
			"name it with --nats, such as --nats nats://host:4222")
	case !c.IsWorker() && s.NATS != "" && !s.Room:
		return s, errors.New("--nats requires --room on")
	}
	if s.Plan != "" && !c.IsWorker() {
		if err := s.setPlan(named("room-plan", s.Plan, fromEnv["room-plan"]),
			flags.Changed("room-title")); err != nil {
			return s, err
		}
	}
	if s.Public != "" {
		s.Public = strings.TrimRight(s.Public, "/") + "/"
	}
	return s, s.setPaths()
}

func (s Settings) validate(named func(flag string) string) error {
	for _, flag := range []struct {
		name string
		ok   bool
		rule string
	}{
		{"concurrency", s.Concurrency >= 1, "give at least 1"},
		{"queue", s.Queue >= 0, "give at least 0"},
		{"request-time", s.RequestTime >= time.Second, "give at least 1s"},
		{"build-time", s.BuildTime >= time.Second, "give at least 1s"},
		{"run-time", s.Program.Time >= 100*time.Millisecond, "give at least 100ms"},
		{"stop-time", s.StopTime >= time.Second, "give at least 1s"},
		{"snippets-max", s.Keep.Count >= 1, "give at least 1, or --snippets off"},
		{"snippets-bytes", s.Keep.Bytes >= 1, "give at least 1KiB, or --snippets off"},
		{"snippets-client-max", s.Keep.ClientCount >= 1, "give at least 1, or --snippets off"},
		{"snippets-client-bytes", s.Keep.ClientBytes >= 1, "give at least 1KiB, or --snippets off"},
		{"snippets-client-rate", s.Keep.ClientRate >= 1, "give at least 1, or --snippets off"},
		{"snippets-evict", s.Keep.Evict == 0 || s.Keep.Evict >= MinEvict, "give at least " + MinEvict.String() +
			", or 0 to keep all"},
		{"addr", isHostPort(s.Addr), "give host:port, such as 127.0.0.1:8080"},
		{"public-url", s.Public == "" || s.PublicHost() != "", "give a URL such as https://class.example.org"},
		{"metrics-addr", s.MetricsAddr == "" || isHostPort(s.MetricsAddr), "give host:port, such as 127.0.0.1:9090"},
		{"room-title", utf8.RuneCountInString(s.Title) <= room.MaxTitle,
			fmt.Sprintf("give at most %d characters", room.MaxTitle)},
	} {
		if !flag.ok {
			return fmt.Errorf("%s: %s", named(flag.name), flag.rule)
		}
	}
	// The value is not shown: it may contain a password or a token.
	if s.NATS != "" && !isNATS(s.NATS) {
		return errors.New("--nats: give addresses such as nats://host:4222, separated by commas, or tls:// for an " +
			"encrypted connection")
	}
	return nil
}

// isNATS reports whether the text has addresses of NATS servers, separated by commas.
func isNATS(addresses string) bool {
	for address := range strings.SplitSeq(addresses, ",") {
		u, err := url.Parse(strings.TrimSpace(address))
		if err != nil || u.Host == "" || !slices.Contains([]string{"nats", "tls", "ws", "wss"}, u.Scheme) {
			return false
		}
	}
	return true
}

// setPlan sets the exercises of the room and, unless the user has given one, its title. given is the flag, for the
// error.
func (s *Settings) setPlan(given string, titled bool) error {
	plans, err := site.Plans()
	if err != nil {
		return err
	}
	var names []string
	for _, p := range plans {
		if p.Name == s.Plan {
			s.Exercises = p.Exercises
			if !titled {
				s.Title = p.Title
			}
			return nil
		}
		names = append(names, p.Name)
	}
	return fmt.Errorf("%s: give %s", given, strings.Join(names, " or "))
}

// setPaths sets the paths of files that were not given.
func (s *Settings) setPaths() error {
	if s.Data == "" {
		dir, err := os.UserCacheDir()
		if err != nil {
			return fmt.Errorf("there is no folder for builds: name one with --data: %w", err)
		}
		s.Data = filepath.Join(dir, "onthestack", "runner")
	}
	s.State = cmp.Or(s.State, filepath.Join(s.Data, "rooms"))
	switch s.Snippets {
	case "", "on":
		s.Snippets = filepath.Join(s.Data, "snippets.db")
	case "off":
		s.Snippets = ""
	}
	return nil
}

// PublicHost returns the host of Public, with the port if it has one; "" if Public is no URL that a browser can open.
func (s Settings) PublicHost() string {
	u, err := url.Parse(s.Public)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.User != nil || u.RawQuery != "" || u.Fragment != "" {
		return ""
	}
	return u.Host
}

func isHostPort(addr string) bool {
	_, _, err := net.SplitHostPort(addr)
	return err == nil
}

// Files returns the files of the built site.
func (s Settings) Files() fs.FS {
	if s.Pages != nil {
		return s.Pages
	}
	return os.DirFS(s.Site)
}

// Loopback reports whether Addr can be reached only from this machine.
func (s Settings) Loopback() bool { return Loopback(s.Addr) }

// SharesWorkspace reports whether the server's pages use the folder Workspace, which only this machine may reach.
func (s Settings) SharesWorkspace() bool { return s.Workspace != "" && s.Loopback() }

// Loopback reports whether an address of the form host:port can be reached only from this machine.
func Loopback(addr string) bool {
	host, _, err := net.SplitHostPort(addr)
	if err != nil {
		return false
	}
	ip := net.ParseIP(host)
	return host == "localhost" || ip != nil && ip.IsLoopback()
}
