package main

import (
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"path/filepath"
	"runtime"
	"time"

	"github.com/spf13/pflag"

	"onthestack/internal/sandbox"
)

// A config is what the command line and the environment say.
type config struct {
	addr    string // host:port
	book    string // folder of the built book
	proxies trustedProxies

	concurrency int  // requests that build and run at once
	queue       int  // requests that wait for that
	cache       size // of answers
	modules     bool // whether programs may import third-party modules

	data          string // folder for what is built
	snippets      string // file of shared programs; "" for none
	snippetsMax   int    // programs in it
	snippetsBytes size   // of all of them

	metricsAddr string // host:port; "" for the listener of all else
	logJSON     bool

	buildTime      time.Duration  // for each build
	program, check sandbox.Limits // for what one request runs
}

const (
	// queuePerWorker is how many requests may wait for each one that is worked on: on two processors a class of sixty, of whom
	// each waits for one answer.
	queuePerWorker = 32
	// checkTimes is how much longer than a program a check's tests and benchmarks may run.
	checkTimes = 4
)

// A setting is a flag and its environment twin.
type setting struct{ name, value, help string }

// settings are the flags by what they are about, as the help shows them.
var settings = []struct {
	title string
	flags []setting
}{
	{"Serving", []setting{
		{"addr", "host:port", "where to listen; 127.0.0.1 is this machine alone"},
		{"book", "folder", "the built book"},
		{"trust-proxy", "networks", "reverse proxies whose X-Forwarded-For is believed, such as 127.0.0.1,10.0.0.0/8"},
	}},
	{"Work", []setting{
		{"concurrency", "number", "requests that build and run at once; by default one for each processor"},
		{"queue", "number", "requests that may wait for that; by default " + fmt.Sprint(queuePerWorker) + " times --concurrency"},
		{"cache", "size", "memory for answers that are given again to the same request, 0 for none"},
		{"modules", "on|off", "whether programs may import third-party modules, fetched as GOPROXY says"},
		{"build-time", "time", "how long one build may take"},
		{"run-time", "time", "how long a program may run; the tests and benchmarks of a check " + fmt.Sprint(checkTimes) + " times as long"},
	}},
	{"Storage", []setting{
		{"data", "folder", "for what is built; by default onthestack/runner in the user's cache folder"},
		{"snippets", "file", "SQLite file of shared programs, off for none; by default snippets.db in --data"},
		{"snippets-max", "number", "programs that it may hold"},
		{"snippets-bytes", "size", "size of all these programs together"},
	}},
	{"Watching", []setting{
		{"metrics-addr", "host:port", "where to serve /metrics; by default on --addr, and to this machine alone"},
		{"log", "text|json", "form of the log, which goes to stderr"},
	}},
}

// parse reads the arguments and, where they leave a flag out, its twin in the environment, which lookup looks up. With -h it
// writes the help to out and returns pflag.ErrHelp.
func parse(args []string, lookup func(string) (string, bool), out io.Writer) (config, error) {
	c := config{
		modules: true, cache: 64 << 20, snippetsBytes: 256 << 20,
		program: sandbox.Limits{Time: 5 * time.Second, Output: 1 << 20, Memory: 256 << 20},
		check:   sandbox.CheckLimits(),
	}
	flags := c.flags()
	err := flags.Parse(twoDashes(args, flags))
	if errors.Is(err, pflag.ErrHelp) {
		fmt.Fprint(out, help(flags))
		return c, err
	}
	if err != nil {
		return c, plainly(err)
	}
	if flags.NArg() > 0 {
		return c, fmt.Errorf("unexpected argument %q", flags.Arg(0))
	}
	twins, err := takeTwins(flags, lookup)
	if err != nil {
		return c, err
	}
	if !flags.Changed("queue") {
		c.queue = queuePerWorker * c.concurrency
	}
	c.check.Time = checkTimes * c.program.Time
	if err := c.validate(func(flag string) string { return named(flags, twins, flag) }); err != nil {
		return c, err
	}
	return c, c.placeFiles()
}

// flags are the flags that set c, whose values are the defaults.
func (c *config) flags() *pflag.FlagSet {
	flags := pflag.NewFlagSet("runner", pflag.ContinueOnError)
	flags.Usage = func() {}
	flags.StringVar(&c.addr, "addr", "127.0.0.1:8080", "")
	flags.StringVar(&c.book, "book", "public/book", "")
	flags.Var(&c.proxies, "trust-proxy", "")
	flags.IntVar(&c.concurrency, "concurrency", runtime.GOMAXPROCS(0), "")
	flags.IntVar(&c.queue, "queue", -1, "")
	flags.Var(&c.cache, "cache", "")
	flags.Var(&choice{on: &c.modules, yes: "on", no: "off"}, "modules", "")
	flags.DurationVar(&c.buildTime, "build-time", 10*time.Second, "")
	flags.DurationVar(&c.program.Time, "run-time", c.program.Time, "")
	flags.StringVar(&c.data, "data", "", "")
	flags.StringVar(&c.snippets, "snippets", "", "")
	flags.IntVar(&c.snippetsMax, "snippets-max", 100_000, "")
	flags.Var(&c.snippetsBytes, "snippets-bytes", "")
	flags.StringVar(&c.metricsAddr, "metrics-addr", "", "")
	flags.Var(&choice{on: &c.logJSON, yes: "json", no: "text"}, "log", "")
	return flags
}

func (c config) validate(named func(flag string) string) error {
	for _, flag := range []struct {
		name string
		ok   bool
		rule string
	}{
		{"concurrency", c.concurrency >= 1, "give at least 1"},
		{"queue", c.queue >= 0, "give at least 0"},
		{"build-time", c.buildTime >= time.Second, "give at least 1s"},
		{"run-time", c.program.Time >= 100*time.Millisecond, "give at least 100ms"},
		{"snippets-max", c.snippetsMax >= 1, "give at least 1, or --snippets off"},
		{"snippets-bytes", c.snippetsBytes >= 1, "give at least 1KiB, or --snippets off"},
		{"addr", isHostPort(c.addr), "give host:port, such as 127.0.0.1:8080"},
		{"metrics-addr", c.metricsAddr == "" || isHostPort(c.metricsAddr), "give host:port, such as 127.0.0.1:9090"},
	} {
		if !flag.ok {
			return fmt.Errorf("%s: %s", named(flag.name), flag.rule)
		}
	}
	return nil
}

// placeFiles finds out where the files are whose places were left out.
func (c *config) placeFiles() error {
	if c.data == "" {
		dir, err := os.UserCacheDir()
		if err != nil {
			return fmt.Errorf("there is no folder for what is built: name one by --data: %w", err)
		}
		c.data = filepath.Join(dir, "onthestack", "runner")
	}
	switch c.snippets {
	case "":
		c.snippets = filepath.Join(c.data, "snippets.db")
	case "off":
		c.snippets = ""
	}
	return nil
}

func isHostPort(addr string) bool {
	_, _, err := net.SplitHostPort(addr)
	return err == nil
}

// loopback reports whether only this machine reaches the address.
func loopback(addr string) bool {
	host, _, err := net.SplitHostPort(addr)
	if err != nil {
		return false
	}
	ip := net.ParseIP(host)
	return host == "localhost" || ip != nil && ip.IsLoopback()
}
