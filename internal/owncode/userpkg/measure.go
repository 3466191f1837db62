package userpkg

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"time"

	"onthestack/internal/build"
	"onthestack/internal/execution"
	"onthestack/internal/harness"
	"onthestack/internal/harness/wire"
	"onthestack/internal/verdict"
)

// MeasureOptions say which benchmarks to measure, and how.
type MeasureOptions struct {
	Bench string        // the pattern of benchmarks, as with -bench of go test
	Count int           // number of runs that only measure time, for verdict.Benchmark.NsSamples
	Limit time.Duration // the program is stopped if no benchmark ends for this long; see watched
	// Benchtime is how much to measure of each benchmark, as with -benchtime of go test; "" for as much as its figures
	// need to be stable.
	Benchtime string
	// Args are arguments of the program, such as flags that its tests define.
	Args []string
	// Timing is true if only time is measured, once.
	Timing bool
	// Figures is true if allocations are counted and not located, which takes most of the time.
	Figures bool
	// Without are the names of benchmarks that are left out.
	Without []string
}

// CheckBenchtime returns an error for a MeasureOptions.Benchtime that is neither a time nor a number of operations.
func CheckBenchtime(text string) error {
	d, err := time.ParseDuration(text)
	if text != "" && !operations.MatchString(text) && (err != nil || d <= 0) {
		return errors.New("give a time, such as 1s, or operations, such as 1000x")
	}
	return nil
}

// operations matches a number of operations, as for -benchtime of go test.
var operations = regexp.MustCompile(`^[1-9][0-9]{0,7}x$`)

// Limits in bytes: on the output of a program, on how much of it is kept, and on its report.
const (
	maxPrinted = 64 << 20
	keptOutput = 1 << 20
	maxReport  = 128 << 20
)

// Measure runs the package's benchmarks in its folder, with the user's own environment. If a benchmark ends the
// program, or does not come to an end within the limit, another run measures the benchmarks after it. A failure of a
// program is in its run. The error is a failure of ours or the reason why ctx is done; Measure then returns the runs
// until then.
func (p *Package) Measure(ctx context.Context, m MeasureOptions) ([]verdict.Run, error) {
	var runs []verdict.Run
	without := slices.Clone(m.Without)
	culprits := map[string]int{} // how often a benchmark of that name ended the program
	for {
		run, err := p.measure(ctx, m, without)
		if run == nil {
			return runs, err
		}
		report, malformed := wire.Parse(run.Report)
		if malformed != nil {
			return runs, fmt.Errorf("read the measurement of %s: %w", p.ImportPath, malformed)
		}
		runs = append(runs, verdict.Run{TestRun: run, Measured: report})
		if err != nil {
			return runs, err
		}
		culprit := report.Interrupted()
		// The package and its external test package may each have a benchmark of that name.
		if culprits[culprit]++; culprit == "" || culprits[culprit] > 2 {
			return runs, nil
		}
		without = append(append(without, report.Ended()...), culprit)
	}
}

// measure runs the benchmarks except the ones named in without.
func (p *Package) measure(ctx context.Context, m MeasureOptions, without []string) (*execution.TestRun, error) {
	report := filepath.Join(p.Built.dir, "report")
	if err := os.WriteFile(report, nil, 0o600); err != nil {
		return nil, fmt.Errorf("make the report's file: %w", err)
	}
	parent := ctx
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	output := &headTail{meter: &execution.Meter{Left: maxPrinted, Full: func() { cancel(errOutput) }}}
	env := append(os.Environ(),
		wire.FileVariable+"="+report, wire.BenchVariable+"="+m.Bench, wire.CountVariable+"="+strconv.Itoa(m.Count),
		wire.BenchtimeVariable+"="+m.Benchtime, wire.WithoutVariable+"="+strings.Join(without, "\n"),
		wire.LimitVariable+"="+ownLimit(m.Limit).String())
	if m.Timing {
		env = append(env, wire.TimingVariable+"=1")
	}
	if m.Figures {
		env = append(env, wire.FiguresVariable+"=1")
	}
	args := append([]string{"-test.run=" + harness.OverlayTests, "-test.timeout=0"}, m.Args...)
	cmd := execution.Command(ctx, execution.ProcessLimits{}, p.Dir, env, p.Built.Binary, args...)
	cmd.Stdout, cmd.Stderr = output, output
	var watch sync.WaitGroup
	watch.Go(func() { watched(ctx, report, m.Limit, cancel) })
	err := runWithUs(cmd)
	cause := context.Cause(ctx)
	cancel(nil)
	watch.Wait()
	var exit *exec.ExitError
	if cmd.ProcessState == nil && parent.Err() != nil { // it did not start
		return nil, context.Cause(parent)
	}
	if errors.Is(err, syscall.ENOEXEC) {
		return nil, argumentErrorf("GOARCH=%s is set, and programs for it do not run on this machine: unset GOARCH, "+
			"or measure nothing with --bench '^$'", p.GOARCH)
	}
	if err != nil && !errors.As(err, &exit) && cause == nil {
		return nil, fmt.Errorf("run the benchmarks of %s: %w", p.ImportPath, err)
	}
	run := &execution.TestRun{Output: p.printed(output.bytes()), Exit: cmd.ProcessState.ExitCode()}
	switch {
	case errors.Is(cause, errOutput):
		run.Stop = execution.Stop{Kind: execution.Output, Bytes: maxPrinted}
	case errors.Is(cause, errIdle):
		run.Stop = execution.Stop{Kind: execution.IdleTime, Time: m.Limit}
	}
	info, err := os.Stat(report)
	if err != nil || info.Size() > maxReport {
		return nil, errors.Join(err, fmt.Errorf(
			"the report of %s's benchmarks is missing or has more than %d MiB: name fewer with --bench",
			p.ImportPath, maxReport>>20))
	}
	if run.Report, err = os.ReadFile(report); err != nil {
		return nil, err
	}
	if parent.Err() != nil {
		return run, context.Cause(parent)
	}
	return run, nil
}

// printed returns what the package's program printed, without calls in files that were added to measure, and without
// folders of this machine.
func (p *Package) printed(output []byte) []byte {
	var rest, call []byte // call is the previous line: the position of a call is on the line after it
	for line := range bytes.Lines(output) {
		place, indented := bytes.CutPrefix(line, []byte("\t"))
		if indented &&
			slices.ContainsFunc(p.Built.added, func(dir string) bool { return bytes.HasPrefix(place, []byte(dir)) }) {
			call = nil
			continue
		}
		rest = append(rest, call...)
		call = line
	}
	return p.hidePaths(p.Built.dir, append(rest, call...))
}

// hidePaths removes the folders of this machine from what a program printed, among them the folder of a build. It names
// the package's files by base name.
func (p *Package) hidePaths(dir string, output []byte) []byte {
	const separator = string(filepath.Separator)
	pairs := []string{p.Dir + separator, "", p.goroot + separator, "$GOROOT" + separator,
		dir + separator, ""}
	if p.copyDir != "" {
		pairs = append(pairs, p.copyDir+separator, "")
	}
	return build.HidePaths(output, pairs...)
}

var (
	errIdle   = errors.New("no benchmark ended")
	errOutput = errors.New("too much output")
)

// watched calls cancel when the report has not grown for the duration limit.
func watched(ctx context.Context, report string, limit time.Duration, cancel context.CancelCauseFunc) {
	ticker := time.NewTicker(min(100*time.Millisecond, max(time.Millisecond, limit/4)))
	defer ticker.Stop()
	var size int64
	grown := time.Now()
	for {
		select {
		case <-ctx.Done():
			return
		case now := <-ticker.C:
			if info, err := os.Stat(report); err == nil && info.Size() != size {
				size, grown = info.Size(), now
			} else if now.Sub(grown) > limit {
				cancel(errIdle)
				return
			}
		}
	}
}

// A headTail keeps the beginning and the end of what is written to it.
type headTail struct {
	meter *execution.Meter // counts all that is written

	mu   sync.Mutex
	head bytes.Buffer
	end  []byte
}

func (t *headTail) Write(p []byte) (int, error) {
	t.meter.Take(len(p))
	t.mu.Lock()
	defer t.mu.Unlock()
	n := min(len(p), keptOutput/2-t.head.Len())
	t.head.Write(p[:n])
	t.end = append(t.end, p[n:]...)
	if over := len(t.end) - keptOutput; over > 0 {
		t.end = append(t.end[:0], t.end[len(t.end)-keptOutput/2:]...)
	}
	return len(p), nil
}

func (t *headTail) bytes() []byte {
	t.mu.Lock()
	defer t.mu.Unlock()
	return append(bytes.Clone(t.head.Bytes()), t.end...)
}
