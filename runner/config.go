package main

import (
	"errors"
	"fmt"
	"io"
	"net"
	"runtime"
	"strings"
	"time"

	"github.com/spf13/pflag"

	"onthestack/internal/sandbox"
)

// A config is what the command line says.
type config struct {
	addr        string // host:port
	book        string // folder of the built book
	concurrency int    // requests that build and run at once
	queue       int    // requests that wait for that

	program, check sandbox.Limits // for what one request runs
}

// queuePerWorker is how many requests may wait for each one that is worked on. A check takes about two seconds, so the last in
// a full queue waits for about half a minute.
const queuePerWorker = 16

const usage = `Serves the workbook, checks its exercises and runs its programs.

Usage: runner [flags]

`

// parse reads the arguments. With -h it writes the help to out and returns pflag.ErrHelp.
func parse(args []string, out io.Writer) (config, error) {
	c := config{
		program: sandbox.Limits{Time: 5 * time.Second, Output: 1 << 20, Memory: 256 << 20},
		check:   sandbox.CheckLimits(),
	}
	flags := pflag.NewFlagSet("runner", pflag.ContinueOnError)
	flags.SortFlags = false
	flags.Usage = func() {}
	flags.StringVar(&c.addr, "addr", "127.0.0.1:8080", "`host:port` to listen on")
	flags.StringVar(&c.book, "book", "public/book", "`folder` of the built book")
	flags.IntVar(&c.concurrency, "concurrency", runtime.NumCPU(), "how many requests build and run at once")
	flags.IntVar(&c.queue, "queue", -1, fmt.Sprintf("how many requests may wait for that (default %d times --concurrency)", queuePerWorker))
	flags.Lookup("queue").DefValue = ""
	err := flags.Parse(twoDashes(args, flags))
	if errors.Is(err, pflag.ErrHelp) {
		fmt.Fprint(out, usage, flags.FlagUsages())
		return c, err
	}
	if !flags.Changed("queue") {
		c.queue = queuePerWorker * c.concurrency
	}
	switch {
	case err != nil:
		return c, err
	case flags.NArg() > 0:
		return c, fmt.Errorf("unexpected argument %q", flags.Arg(0))
	case c.concurrency < 1:
		return c, fmt.Errorf("--concurrency %d: give at least 1", c.concurrency)
	case c.queue < 0:
		return c, fmt.Errorf("--queue %d: give at least 0", c.queue)
	}
	if _, _, err := net.SplitHostPort(c.addr); err != nil {
		return c, fmt.Errorf("--addr %s: give host:port, such as 127.0.0.1:8080", c.addr)
	}
	return c, nil
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

// loopback reports whether only this machine reaches the address.
func loopback(addr string) bool {
	host, _, err := net.SplitHostPort(addr)
	if err != nil {
		return false
	}
	ip := net.ParseIP(host)
	return host == "localhost" || ip != nil && ip.IsLoopback()
}
