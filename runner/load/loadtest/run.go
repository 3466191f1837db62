// Package loadtest starts a runner or workers, loads them as a class does, and measures how long the class waits.
//
// There are three tests: a class that presses Run and Check, followed by single clients that make others wait; a class
// that hands in its solutions in a room; and workers that grade. A test fails if an answer is lost or wrong, or if its
// figures miss a goal.
package loadtest

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"time"

	"github.com/spf13/pflag"

	"onthestack/internal/bookdata"
	"onthestack/internal/exercise"
)

const (
	exitOK     = 0
	exitFailed = 1
	exitUsage  = 2
)

// A plan is the size of the class and what it sends.
type plan struct {
	clients, presses int
	within           time.Duration // all presses begin in this time
	greedy           int           // requests that one more client sends at once, half-way
	beside           time.Duration // of each attack by one client, after the class; 0 for none
	seed             uint64
	engine           string // of checks: the runner's --engine
}

// answerTime is how long after the last press answers may take. A request without an answer by then is lost.
const answerTime = 10 * time.Minute

const usage = `Starts a runner, sends it the requests of a class, and prints how long they wait.

Usage: load [flags] RUNNER
       load room [flags] RUNNER      has a class work in a room; see load room --help
       load workers [flags] RUNNER   has one worker and then two grade; see load workers --help

RUNNER is the program to start, built from ./runner.

`

// Run runs the test that the arguments name, prints its figures to stdout and its progress to stderr, and returns the
// exit code.
func Run(args []string, stdout, stderr io.Writer) int {
	if len(args) > 0 {
		switch args[0] {
		case "room":
			return runRoom(args[1:], stdout, stderr)
		case "workers":
			return runWorkers(args[1:], stdout, stderr)
		}
	}
	p := plan{}
	flags := pflag.NewFlagSet("load", pflag.ContinueOnError)
	flags.SortFlags = false
	flags.IntVar(&p.clients, "clients", 60, "`people` in the class")
	flags.IntVar(&p.presses, "presses", 5, "`times` that each presses Run or Check")
	flags.DurationVar(&p.within, "within", time.Minute, "`time` within which they do so")
	flags.IntVar(&p.greedy, "greedy", 50, "`requests` that one more client sends at once, half-way")
	flags.DurationVar(&p.beside, "beside", 10*time.Second,
		"`time` of each attack by one client after the class, while another presses Run; 0 for none")
	flags.Uint64Var(&p.seed, "seed", 1, "`number` that seeds the random choices of the class")
	flags.StringVar(&p.engine, "engine", "auto", "`engine` of checks: confined, wasm, or auto for the runner's choice")
	file := flags.String("json", "", "`file` for the figures, as JSON; it keeps the other engine's figures")
	if code, done := parse(flags, usage, args, stdout, stderr, func() error { return p.valid(flags.NArg()) }); done {
		return code
	}
	ctx, stop := interruptible(p.within + answerTime + 20*p.beside)
	defer stop()
	figures, engine, wrong, err := class(ctx, p, flags.Arg(0), stderr)
	if err != nil {
		fmt.Fprintf(stderr, "load: %v\n", err)
		return exitFailed
	}
	show(stdout, engine, figures)
	return finish(*file, engine, figures, wrong, nil, stderr)
}

// parse parses the flags. done reports that there is nothing more to do, and code is the exit code then.
func parse(
	flags *pflag.FlagSet, usage string, args []string, stdout, stderr io.Writer, valid func() error,
) (code int, done bool) {
	flags.Usage = func() {}
	err := flags.Parse(args)
	if errors.Is(err, pflag.ErrHelp) {
		fmt.Fprint(stdout, usage, flags.FlagUsages())
		return exitOK, true
	}
	if err == nil {
		err = valid()
	}
	if err != nil {
		fmt.Fprintf(stderr, "load: %v\nTry \"%s --help\".\n", err, flags.Name())
		return exitUsage, true
	}
	return exitOK, false
}

// interruptible returns a context that ends after a time, or when the user interrupts.
func interruptible(after time.Duration) (context.Context, context.CancelFunc) {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	ctx, cancel := context.WithTimeout(ctx, after)
	return ctx, func() { cancel(); stop() }
}

// finish writes the figures to a file, under a name, and prints what is wrong. Nothing is written if anything was lost
// or wrong, because the load was then another one; a goal that is missed is a figure like others.
func finish(file, name string, f *bookdata.Classroom, wrong, missed []string, stderr io.Writer) int {
	for _, w := range append(wrong[:len(wrong):len(wrong)], missed...) {
		fmt.Fprintf(stderr, "load: %s\n", w)
	}
	if file != "" && len(wrong) == 0 {
		if err := bookdata.WriteClassroom(file, name, f); err != nil {
			fmt.Fprintf(stderr, "load: %v\n", err)
			return exitFailed
		}
	}
	if len(wrong)+len(missed) > 0 {
		return exitFailed
	}
	return exitOK
}

// valid returns an error for a plan that would send more than one machine can take, because the traffic is for this
// machine.
func (p plan) valid(programs int) error {
	switch {
	case programs != 1:
		return errors.New("give one program to start")
	case p.clients < 1 || p.clients > 200:
		return fmt.Errorf("--clients %d: give 1 to 200", p.clients)
	case p.presses < 1 || p.presses > 100:
		return fmt.Errorf("--presses %d: give 1 to 100", p.presses)
	case p.greedy < 0 || p.greedy > 1000:
		return fmt.Errorf("--greedy %d: give 0 to 1000", p.greedy)
	case p.beside < 0 || p.beside > time.Hour:
		return fmt.Errorf("--beside %v: give up to an hour", p.beside)
	case p.within <= 0 || p.within > time.Hour:
		return fmt.Errorf("--within %v: give up to an hour", p.within)
	}
	return nil
}

// class starts the runner, sends it all requests and stops it. engine is what ran the checks; wrong lists what was
// lost, wrong or too slow.
func class(
	ctx context.Context,
	p plan,
	binary string,
	progress io.Writer,
) (f *bookdata.Classroom, engine string, wrong []string, err error) {
	catalog, err := exercise.Sealed()
	if err != nil {
		return nil, "", nil, err
	}
	server, err := start(ctx, binary, "--engine", p.engine)
	if err != nil {
		return nil, "", nil, err
	}
	defer server.kill()
	fmt.Fprintln(progress, "waiting until the runner is ready")
	if err := server.ready(ctx); err != nil {
		return nil, "", nil, err
	}
	requests := schedule(p, catalog)
	fmt.Fprintf(progress, "%d requests of %d clients begin within %v\n", len(requests), p.clients, p.within)
	answers := send(ctx, server.address, requests, progress)
	f, wrong = measure(p, requests, answers, server.goVersion)
	if p.beside > 0 {
		kinds, beside, lost, err := attackInTurn(ctx, p, server, catalog, progress)
		if err != nil {
			return nil, "", nil, err
		}
		f.Kinds, f.Beside, wrong = append(f.Kinds, kinds...), beside, append(wrong, lost...)
	}
	memory, err := server.stop()
	if err != nil {
		return nil, "", nil, err
	}
	f.Server, f.All = memory.server, memory.all
	return f, server.engine, append(wrong, missed(f)...), nil
}
