package main

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"time"

	natsserver "github.com/nats-io/nats-server/v2/server"
	"github.com/spf13/cobra"

	"onthestack/internal/bookdata"
	"onthestack/runner/room"
	"onthestack/runner/store"
)

// minSpeedup is how many times as many submissions two workers should grade as one worker does.
const minSpeedup = 1.8

// submissions is how many solutions each worker grades.
const submissions = 100

func workersCommand(o *options) *cobra.Command {
	return o.testCommand("workers",
		"Has one worker on one processor grade submissions, then two on two, and prints how many a second",
		func(ctx context.Context, b *bench) error { return b.measureWorkers(ctx) })
}

func (b *bench) measureWorkers(ctx context.Context) error {
	if runtime.NumCPU() < 2 {
		return errors.New("there is one processor: two workers need two")
	}
	ctx, cancel := context.WithTimeout(ctx, time.Hour)
	defer cancel()
	// A worker compiles the tests of an exercise when it first grades it. So that no figure includes this, each worker
	// first grades every exercise once.
	for processor := range 2 {
		if _, err := b.grade(ctx, len(b.catalog), processor); err != nil {
			return err
		}
	}
	alone, err := b.grade(ctx, submissions, 0)
	if err != nil {
		return err
	}
	if err := b.finish("worker1", alone, nil, nil); err != nil {
		return err
	}
	both, err := b.grade(ctx, submissions, 0, 1)
	if err != nil {
		return err
	}
	both.Speedup = both.Rate / alone.Rate
	var missed []string
	if both.Speedup < minSpeedup {
		missed = append(missed, fmt.Sprintf("two workers grade %.2f times what one does, less than %.1f", both.Speedup,
			minSpeedup))
	}
	return b.finish("worker2", both, nil, missed)
}

// grade starts a NATS server and a worker on each of the processors, and measures how many submissions they grade, each
// so many.
func (b *bench) grade(ctx context.Context, each int, processors ...int) (*bookdata.Classroom, error) {
	dir, err := os.MkdirTemp(b.dir, "submissions-")
	if err != nil {
		return nil, fmt.Errorf("make a folder for the submissions: %w", err)
	}
	nats, err := natsserver.NewServer(&natsserver.Options{Host: "127.0.0.1", Port: natsserver.RANDOM_PORT,
		JetStream: true, StoreDir: dir, SyncAlways: true, NoSigs: true, NoLog: true})
	if err != nil {
		return nil, err
	}
	nats.Start()
	defer nats.Shutdown()
	if !nats.ReadyForConnections(time.Minute) {
		return nil, errors.New("the NATS server does not start")
	}
	in, err := store.Open(store.Options{URL: nats.ClientURL()})
	if err != nil {
		return nil, err
	}
	defer in.Close()
	j, err := in.Journal(ctx)
	if err != nil {
		return nil, err
	}
	fmt.Fprintln(os.Stderr, "waiting until each worker has compiled the standard library")
	for _, processor := range processors {
		w, err := b.startWorker(ctx, nats.ClientURL(), processor)
		if err != nil {
			return nil, err
		}
		defer w.stop()
	}
	workers := len(processors)
	total := workers * each
	fmt.Fprintf(os.Stderr, "%d workers grade %d submissions\n", workers, total)
	if err := b.submit(ctx, j, total); err != nil {
		return nil, err
	}
	// At the beginning and in the end not all workers have work, so the first and the last tenth do not count.
	first, last := total/10, total-total/10
	times, err := gradedAt(ctx, j, total)
	if err != nil {
		return nil, err
	}
	took := times[last-1].Sub(times[first-1]).Seconds()
	return &bookdata.Classroom{Go: runtime.Version(), Platform: runtime.GOOS + "/" + runtime.GOARCH, Cores: workers,
		Clients: total, Took: took, Rate: float64(last-first) / took}, nil
}

// submit appends the submissions to the journal: the solutions of the exercises in turn.
func (b *bench) submit(ctx context.Context, j *store.Journal, total int) error {
	// A worker caches what it compiled in earlier calls, so the files of this call must differ from theirs.
	call := rand.Text()
	const code = "K7M2QX"
	for i := range total {
		e := b.catalog[i%len(b.catalog)]
		files := map[string]string{}
		for name, text := range e.Solution {
			files[name] = fmt.Sprintf("%s\n// %s %d\n", text, call, i)
		}
		id := fmt.Sprint("s", i)
		submitted := room.Event{Kind: room.Submitted, Participant: fmt.Sprint("p", i), Exercise: e.ID, Submission: id}
		if _, err := j.Append(ctx, code, id, store.Record{Event: submitted, Files: files}); err != nil {
			return err
		}
	}
	return nil
}

// gradedAt waits until all submissions are graded, and returns when each was, in order.
func gradedAt(ctx context.Context, j *store.Journal, total int) ([]time.Time, error) {
	var times []time.Time
	var wrong error
	following, stop := context.WithCancel(ctx)
	defer stop()
	j.Follow(following, func(_ string, _ uint64, e room.Event) {
		switch {
		case e.Kind == room.Failed || e.Kind == room.Graded && !e.Grade.Pass:
			wrong = fmt.Errorf("the solution %s is not passed: %s %+v", e.Submission, e.Why, e.Grade)
			stop()
		case e.Kind == room.Graded:
			if times = append(times, e.Time); len(times) == total {
				stop()
			}
		}
	}, func() {})
	switch {
	case wrong != nil:
		return nil, wrong
	case len(times) < total:
		return nil, fmt.Errorf("%d of %d submissions were graded: %w", len(times), total, ctx.Err())
	}
	return times, nil
}

// stdCompiled is the worker's log line when the whole standard library is compiled. It accepts submissions earlier,
// and grades them while it still compiles.
const stdCompiled = "the whole standard library is compiled"

// startWorker starts a worker on a processor, and waits until it has compiled the standard library.
func (b *bench) startWorker(ctx context.Context, url string, processor int) (*process, error) {
	w, _, err := startProcess(ctx, stdCompiled, []string{"RUNNER_NATS=" + url},
		"taskset", "--cpu-list", fmt.Sprint(processor), b.runner, "worker", "--concurrency", "1", "--engine", b.engine,
		"--data", filepath.Join(b.dir, fmt.Sprint("data", processor)))
	if err != nil {
		return nil, fmt.Errorf("start a worker on one processor, which needs taskset of util-linux: %w", err)
	}
	return w, nil
}
