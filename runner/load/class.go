package main

import (
	"cmp"
	"context"
	"fmt"
	"os"
	"runtime"
	"slices"
	"time"

	"github.com/spf13/cobra"

	"onthestack/internal/bookdata"
	"onthestack/internal/exercise"
)

// A plan is the size of the class and what it sends.
type plan struct {
	clients, presses int
	within           time.Duration // all presses begin in this time
	greedy           int           // requests that one more client sends at once, half-way
	seed             uint64
}

// classCommand measures a class.
func classCommand(o *options) *cobra.Command {
	var p plan
	c := testCommand("load", "Starts a runner, sends it the requests of a class, and prints how long they wait",
		func(ctx context.Context, runner string) error {
			f, engine, wrong, err := p.measure(ctx, runner, o.engine)
			if err != nil {
				return err
			}
			show(os.Stdout, engine, f)
			return o.finish(engine, f, wrong, nil)
		})
	flags := c.Flags()
	flags.IntVar(&p.clients, "clients", 60, "`people` in the class")
	flags.IntVar(&p.presses, "presses", 5, "`times` that each presses Run or Check")
	flags.DurationVar(&p.within, "within", time.Minute, "`time` within which they do so")
	flags.IntVar(&p.greedy, "greedy", 50, "`requests` that one more client sends at once, half-way")
	flags.Uint64Var(&p.seed, "seed", 1, "`number` that seeds the random choices of the class")
	return c
}

// measure starts the runner, sends it all requests and stops it. engine is what ran the checks; wrong lists what was
// lost, wrong or too slow.
func (p plan) measure(ctx context.Context, runner, flag string) (
	f *bookdata.Classroom, engine string, wrong []string, err error,
) {
	if err := cmp.Or(atLeast("--clients", p.clients, 1), atLeast("--presses", p.presses, 1),
		atLeast("--within", p.within, time.Second)); err != nil {
		return nil, "", nil, err
	}
	ctx, cancel := context.WithTimeout(ctx, p.within+answerTime+20*attackTime)
	defer cancel()
	catalog, err := exercise.Sealed()
	if err != nil {
		return nil, "", nil, err
	}
	dir, err := os.MkdirTemp("", "onthestack-load-")
	if err != nil {
		return nil, "", nil, fmt.Errorf("make a folder for shared programs: %w", err)
	}
	defer os.RemoveAll(dir)
	server, err := start(ctx, runner, dir, "--engine", flag)
	if err != nil {
		return nil, "", nil, err
	}
	defer server.stop()
	requests := p.schedule(catalog)
	fmt.Fprintf(os.Stderr, "%d requests of %d clients begin within %v\n", len(requests), p.clients, p.within)
	f, wrong = p.figures(requests, sendAll(ctx, server.address, requests))
	lost, err := p.attackInTurn(ctx, server, catalog, f)
	if err != nil {
		return nil, "", nil, err
	}
	if err := server.stop(); err != nil {
		return nil, "", nil, err
	}
	server.describe(f)
	return f, server.engine, slices.Concat(wrong, lost, missed(f)), nil
}

// describe sets the figures of the runner and the machine.
func (s *server) describe(f *bookdata.Classroom) {
	f.Go, f.Platform, f.Cores = s.goVersion, runtime.GOOS+"/"+runtime.GOARCH, runtime.NumCPU()
	f.Server, f.All = s.memory.server, s.memory.all
}
