// Package settings reads how the runner is to run: the flags of its command line and their twins in the environment.
package settings

import (
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"path/filepath"
	"time"

	"github.com/spf13/pflag"

	"onthestack/internal/sandbox"
	"onthestack/runner/clients"
	"onthestack/runner/snippets"
)

// Settings are what the command line and the environment say.
type Settings struct {
	Addr string // host:port
	// ListenFD is the file descriptor of a listening socket to serve on in place of Addr; -1 for none.
	ListenFD int
	Site     string // folder of the built site, with the book in book/
	Prepare  bool   // whether to build the missing parts of the site while serving
	Proxies  clients.Proxies
	Origins  clients.Origins // origins of other pages that may use the runner
	Hosts    clients.Hosts   // host names of the runner; if there are none, Addr decides

	Concurrency int   // requests that build and run at once
	Queue       int   // requests that wait for that
	Cache       int64 // bytes, of answers
	Modules     bool  // whether programs may import third-party modules

	Data     string          // folder for built files
	Snippets string          // file of shared programs; "" for none
	Keep     snippets.Limits // limits of that file

	MetricsAddr string // host:port; "" for the listener of all else
	LogJSON     bool

	RequestTime    time.Duration  // for all that one request builds, vets and runs
	BuildTime      time.Duration  // for each build
	Program, Check sandbox.Limits // for what one request runs
}

const (
	// queuePerWorker is how many requests may wait for each one that is worked on: on two processors a class of sixty, of whom
	// each waits for one answer.
	queuePerWorker = 32
	// CheckTimes is how much longer than a program a check's tests and benchmarks may run.
	CheckTimes = 4
	// requestMore is by how much, by default, the time of a request is longer than the longest that one of its parts may take.
	requestMore = 5 * time.Second
	// MinEvict is the shortest time after which a shared program may be removed. With less, a link that a class was just given could
	// lead nowhere.
	MinEvict = 24 * time.Hour
)

// Parse reads the arguments and, where they leave a flag out, its twin in the environment, which lookup looks up. With -h it
// writes the help to out and returns pflag.ErrHelp. Any other error tells the user what would be right.
func Parse(args []string, lookup func(string) (string, bool), out io.Writer) (Settings, error) {
	s := Settings{
		Modules: true, Cache: 64 << 20,
		Keep:    snippets.Limits{Count: 100_000, Bytes: 256 << 20, ClientCount: 1000, ClientBytes: 16 << 20, ClientRate: 60},
		Program: sandbox.Limits{Time: 5 * time.Second, Output: 1 << 20, Memory: 256 << 20},
		Check:   sandbox.CheckLimits(),
	}
	flags := s.flags()
	err := flags.Parse(twoDashes(args, flags))
	if errors.Is(err, pflag.ErrHelp) {
		fmt.Fprint(out, help(flags))
		return s, err
	}
	if err != nil {
		return s, plainly(err)
	}
	if flags.NArg() > 0 {
		return s, fmt.Errorf("unexpected argument %q", flags.Arg(0))
	}
	twins, err := takeTwins(flags, lookup)
	if err != nil {
		return s, err
	}
	if !flags.Changed("queue") {
		s.Queue = queuePerWorker * s.Concurrency
	}
	s.Check.Time = CheckTimes * s.Program.Time
	if !flags.Changed("request-time") {
		s.RequestTime = max(s.BuildTime, s.Check.Time) + requestMore
	}
	s.Check.Ready = sandbox.DefaultReady // shorter than in CheckLimits, because other requests are waiting
	if err := s.validate(func(flag string) string { return named(flags, twins, flag) }); err != nil {
		return s, err
	}
	return s, s.placeFiles()
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
		{"snippets-max", s.Keep.Count >= 1, "give at least 1, or --snippets off"},
		{"snippets-bytes", s.Keep.Bytes >= 1, "give at least 1KiB, or --snippets off"},
		{"snippets-client-max", s.Keep.ClientCount >= 1, "give at least 1, or --snippets off"},
		{"snippets-client-bytes", s.Keep.ClientBytes >= 1, "give at least 1KiB, or --snippets off"},
		{"snippets-client-rate", s.Keep.ClientRate >= 1, "give at least 1, or --snippets off"},
		{"snippets-evict", s.Keep.Evict == 0 || s.Keep.Evict >= MinEvict, "give at least " + MinEvict.String() + ", or 0 to keep all"},
		{"addr", isHostPort(s.Addr), "give host:port, such as 127.0.0.1:8080"},
		{"metrics-addr", s.MetricsAddr == "" || isHostPort(s.MetricsAddr), "give host:port, such as 127.0.0.1:9090"},
	} {
		if !flag.ok {
			return fmt.Errorf("%s: %s", named(flag.name), flag.rule)
		}
	}
	return nil
}

// placeFiles finds out where the files are whose places were left out.
func (s *Settings) placeFiles() error {
	if s.Data == "" {
		dir, err := os.UserCacheDir()
		if err != nil {
			return fmt.Errorf("there is no folder for what is built: name one by --data: %w", err)
		}
		s.Data = filepath.Join(dir, "onthestack", "runner")
	}
	switch s.Snippets {
	case "":
		s.Snippets = filepath.Join(s.Data, "snippets.db")
	case "off":
		s.Snippets = ""
	}
	return nil
}

func isHostPort(addr string) bool {
	_, _, err := net.SplitHostPort(addr)
	return err == nil
}

// Loopback reports whether only this machine reaches Addr.
func (s Settings) Loopback() bool { return Loopback(s.Addr) }

// Loopback reports whether an address of the form host:port can be reached only from this machine.
func Loopback(addr string) bool {
	host, _, err := net.SplitHostPort(addr)
	if err != nil {
		return false
	}
	ip := net.ParseIP(host)
	return host == "localhost" || ip != nil && ip.IsLoopback()
}
