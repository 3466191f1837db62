package loadtest

import (
	"bufio"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"time"

	natsserver "github.com/nats-io/nats-server/v2/server"
	"github.com/spf13/pflag"

	"onthestack/internal/bookdata"
	"onthestack/internal/exercise"
	"onthestack/runner/room"
	"onthestack/runner/store"
)

const workersUsage = `Has one worker on one processor grade submissions, then two on two, and prints how many a second.

Usage: load workers [flags] RUNNER

`

// minSpeedup is how many times as many submissions two workers should grade as one worker does.
const minSpeedup = 1.8

// A workPlan is what the workers do.
type workPlan struct {
	catalog     exercise.Catalog // the exercises whose solutions they grade
	submissions int              // for each worker
	engine      string
	binary      string // the program of the workers
	data        string // the folder in which they keep the compiled standard library and tests
}

// runWorkers measures workers.
func runWorkers(args []string, stdout, stderr io.Writer) int {
	p := workPlan{}
	flags := pflag.NewFlagSet("load workers", pflag.ContinueOnError)
	flags.SortFlags = false
	flags.IntVar(&p.submissions, "submissions", 100, "`number` of solutions that each worker grades")
	flags.StringVar(&p.engine, "engine", "auto", "`engine` of checks: confined, wasm, or auto for the worker's choice")
	file := flags.String("json", "", "`file` for the figures, as JSON; it keeps the others")
	if code, done := parse(flags, workersUsage, args, stdout, stderr, func() error {
		switch {
		case flags.NArg() != 1:
			return errors.New("give one program to start")
		case p.submissions < 10 || p.submissions > 10_000:
			return fmt.Errorf("--submissions %d: give 10 to 10000", p.submissions)
		case runtime.NumCPU() < 2:
			return errors.New("there is one processor: two workers need two")
		}
		return nil
	}); done {
		return code
	}
	ctx, stop := interruptible(time.Hour)
	defer stop()
	data, err := os.MkdirTemp("", "onthestack-load-")
	if err != nil {
		fmt.Fprintf(stderr, "load: make a folder for the workers: %v\n", err)
		return exitFailed
	}
	defer os.RemoveAll(data)
	p.binary, p.data = flags.Arg(0), data
	if p.catalog, err = exercise.Sealed(); err != nil {
		fmt.Fprintf(stderr, "load: %v\n", err)
		return exitFailed
	}
	// A worker compiles the tests of an exercise when it first grades it. So that no figure includes this, each worker
	// first grades every exercise once.
	warmup := p
	warmup.submissions = len(p.catalog)
	for processor := range 2 {
		if _, err := grading(ctx, warmup, []int{processor}, stderr); err != nil {
			fmt.Fprintf(stderr, "load: %v\n", err)
			return exitFailed
		}
	}
	var alone float64
	for _, processors := range [][]int{{0}, {0, 1}} {
		f, err := grading(ctx, p, processors, stderr)
		if err != nil {
			fmt.Fprintf(stderr, "load: %v\n", err)
			return exitFailed
		}
		workers := len(processors)
		var missed []string
		if workers == 1 {
			alone = f.Rate
		} else if f.Speedup = f.Rate / alone; f.Speedup < minSpeedup {
			missed = append(missed,
				fmt.Sprintf("two workers grade %.2f times what one does, less than %.1f", f.Speedup, minSpeedup))
		}
		fmt.Fprintf(stdout, "%d workers, each on a processor of its own: %.2f submissions/s (%s, %s)\n",
			workers, f.Rate, f.Go, f.Platform)
		if code := finish(*file, fmt.Sprint("worker", workers), f, nil, missed, stderr); code != exitOK {
			return code
		}
		if workers == 2 {
			fmt.Fprintf(stdout, "that is %.2f times as many\n", f.Speedup)
		}
	}
	return exitOK
}

// grading starts a NATS server and a worker on each of the processors, and measures how many submissions they grade.
func grading(ctx context.Context, p workPlan, processors []int, progress io.Writer) (*bookdata.Classroom, error) {
	dir, err := os.MkdirTemp("", "onthestack-load-")
	if err != nil {
		return nil, fmt.Errorf("make a folder for the submissions: %w", err)
	}
	defer os.RemoveAll(dir)
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
	fmt.Fprintln(progress, "waiting until each worker has compiled the standard library")
	for _, processor := range processors {
		w, err := p.startWorker(ctx, nats.ClientURL(), processor)
		if err != nil {
			return nil, err
		}
		defer stopWorker(w)
	}
	workers := len(processors)
	total := workers * p.submissions
	fmt.Fprintf(progress, "%d workers grade %d submissions\n", workers, total)
	if err := p.submit(ctx, j, total); err != nil {
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
func (p workPlan) submit(ctx context.Context, j *store.Journal, total int) error {
	// A worker caches what it compiled in earlier calls, so the files of this call must differ from theirs.
	call := rand.Text()
	const code = "K7M2QX"
	for i := range total {
		e := p.catalog[i%len(p.catalog)]
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
			wrong = fmt.Errorf("a solution is not passed: %+v", e)
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
func (p workPlan) startWorker(ctx context.Context, url string, processor int) (*exec.Cmd, error) {
	data := filepath.Join(p.data, fmt.Sprint(processor))
	w := exec.CommandContext(ctx, "taskset", "--cpu-list", fmt.Sprint(processor),
		p.binary, "worker", "--concurrency", "1", "--engine", p.engine, "--data", data)
	w.Env = append(os.Environ(), "RUNNER_NATS="+url)
	stderr, err := w.StderrPipe()
	if err != nil {
		return nil, err
	}
	if err := w.Start(); err != nil {
		return nil, fmt.Errorf("start a worker on one processor, which needs taskset of util-linux: %w", err)
	}
	// The loop ends when the worker does, because its log then ends.
	log := new(strings.Builder)
	for lines := bufio.NewScanner(stderr); lines.Scan(); {
		if strings.Contains(lines.Text(), stdCompiled) {
			go io.Copy(io.Discard, stderr)
			return w, nil
		}
		fmt.Fprintln(log, lines.Text())
	}
	w.Process.Kill() // if it still runs, and has logged a line that is too long
	return nil, fmt.Errorf("the worker ended before it had compiled the standard library: %v: %s", w.Wait(),
		strings.TrimSpace(log.String()))
}

// stopWorker stops a worker as a service manager does.
func stopWorker(w *exec.Cmd) {
	w.Process.Signal(syscall.SIGTERM)
	w.Wait()
}
