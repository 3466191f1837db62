package site

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"time"

	"onthestack/internal/printable"
)

// The states of a step, as tools/setup/step.sh prints them.
const (
	Waiting = "waiting"
	Running = "running"
	Done    = "done"
	Failed  = "failed"
	Skipped = "skipped" // a step that it needs failed
)

// A Step is the status of a step of the build at one moment.
type Step struct {
	Name    string
	Does    string // what it does, for a reader: "build the book"
	State   string
	Took    time.Duration // from its beginning to its end, or to now
	Output  string        // the end of what its command has printed
	Problem string        // why it failed or was skipped

	began  time.Time
	output []byte
}

func (s Step) ended() bool { return s.State != Waiting && s.State != Running }

// Steps are the steps of the build, in the order in which they begin.
type Steps []Step

func (s Steps) In(state string) Steps {
	return slices.DeleteFunc(slices.Clone(s), func(each Step) bool { return each.State != state })
}

func (s Steps) over() bool {
	return !slices.ContainsFunc(s, func(each Step) bool { return !each.ended() })
}

// A Build is a run of "make steps", which builds the site. The steps and their order are in the Makefile; the status of
// the steps is in what make prints.
type Build struct {
	make  *os.Process
	dir   string // has make's output
	ended chan struct{}
}

const (
	// runnerStep is the name of the step that compiles the runner.
	runnerStep = "runner"
	// outputFile is the file in the folder of a Build that has make's output.
	outputFile = "output"
	// startedVariable is the environment variable by which the runner takes over the build of bootstrap, which it has
	// replaced: make's process and the folder, separated by a space.
	startedVariable = "ONTHESTACK_BUILD"
)

// stopGrace is how long interrupted steps may clean up. Tests shorten it.
var stopGrace = 5 * time.Second

// NewBuild builds the site in the repository's root, or goes on with the build of bootstrap. It is an error if this
// process runs elsewhere. Call Close in the end.
func NewBuild() (*Build, error) {
	if pid, dir, ok := strings.Cut(os.Getenv(startedVariable), " "); ok {
		number, err := strconv.Atoi(pid)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", startedVariable, err)
		}
		process, err := os.FindProcess(number)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", startedVariable, err)
		}
		return newBuild(process, dir), nil
	}
	return startBuild()
}

// startBuild starts make with more arguments.
func startBuild(args ...string) (*Build, error) {
	if text, err := os.ReadFile("go.mod"); err != nil || !strings.HasPrefix(string(text), "module onthestack\n") {
		return nil, errors.New("--prepare on: run it in the repository's root, or let \"make serve\" do so")
	}
	dir, err := os.MkdirTemp("", "onthestack-build-")
	if err != nil {
		return nil, fmt.Errorf("make a folder for the build: %w", err)
	}
	// Make and the steps append to the file at the same time.
	output, err := os.OpenFile(filepath.Join(dir, outputFile), os.O_CREATE|os.O_WRONLY|os.O_APPEND, 0o600)
	if err != nil {
		return nil, errors.Join(fmt.Errorf("make a file for the output of make: %w", err), os.RemoveAll(dir))
	}
	defer output.Close()
	// On two processors there are three commands, because compiling the runner leaves one idle for a while.
	args = append(args, "--silent", "--no-print-directory", fmt.Sprint("--jobs=", max(3, runtime.NumCPU())), "QUICK=1",
		"STEPS_IN="+dir, "steps")
	cmd := exec.Command("make", args...)
	cmd.Stdout, cmd.Stderr = output, output
	asGroup(cmd)
	if err := cmd.Start(); err != nil {
		return nil, errors.Join(fmt.Errorf("start make, which builds the site: %w", err), os.RemoveAll(dir))
	}
	return newBuild(cmd.Process, dir), nil
}

func newBuild(process *os.Process, dir string) *Build {
	b := &Build{make: process, dir: dir, ended: make(chan struct{})}
	go func() {
		defer close(b.ended)
		process.Wait() // whether steps failed is in the output
		// Usually no process is left. But make, when it is interrupted, may end before the steps have cleaned up.
		for end := time.Now().Add(stopGrace); groupRuns(process) && time.Now().Before(end); {
			time.Sleep(10 * time.Millisecond)
		}
		killGroup(process)
	}()
	return b
}

// Close ends the build with all processes that it started: first with a signal that they can handle, and after
// stopGrace by killing them.
func (b *Build) Close() error {
	b.stop()
	return os.RemoveAll(b.dir)
}

func (b *Build) stop() {
	if b.hasEnded() {
		return
	}
	interruptGroup(b.make)
	select {
	case <-b.ended:
	case <-time.After(stopGrace):
		killGroup(b.make)
		<-b.ended
	}
}

func (b *Build) hasEnded() bool {
	select {
	case <-b.ended:
		return true
	default:
		return false
	}
}

func (b *Build) Steps() Steps {
	over := b.hasEnded() // before the output is read, which is complete then
	text, err := os.ReadFile(filepath.Join(b.dir, outputFile))
	if err != nil {
		return Steps{{Name: "make", State: Failed, Problem: err.Error()}}
	}
	return readSteps(string(text), time.Now(), over)
}

// outputKept is how many bytes of a command's output are kept: the end, which has the errors.
const outputKept = 8 << 10

// readSteps reads the output of make; over is whether make has ended.
func readSteps(output string, now time.Time, over bool) (steps Steps) {
	var rest strings.Builder
	for line := range strings.Lines(output) {
		marker, text, _ := strings.Cut(strings.TrimSuffix(line, "\n"), " ")
		name := strings.TrimRight(marker, "=:")
		i := slices.IndexFunc(steps, func(each Step) bool { return each.Name == name })
		switch fields := strings.SplitN(text, " ", 3); {
		case i >= 0 && marker == name+":":
			steps[i].output = append(append(steps[i].output, text...), '\n')
		case i >= 0 && marker == name+"=" && len(fields) == 3:
			steps[i].set(fields[0], fields[1], fields[2])
		case marker == name+"=" && len(fields) == 3 && fields[0] == Waiting:
			steps = append(steps, Step{Name: name, Does: fields[2], State: Waiting})
		default:
			rest.WriteString(line)
		}
	}
	for i := range steps {
		step := &steps[i]
		step.Output, step.output = lastLines(string(step.output)), nil
		switch {
		case step.State == Running && over:
			step.State, step.Problem = Failed, "It was interrupted. The next start continues it."
		case step.State == Waiting && over:
			step.State, step.Problem = Skipped, "It was interrupted."
		case step.State == Failed && step.Output != "":
			step.Problem = step.Output
		case step.State == Running:
			step.Took = now.Sub(step.began)
		}
	}
	if over && len(steps) == 0 {
		return Steps{{Name: "make", Does: "build the site", State: Failed, Problem: lastLines(rest.String())}}
	}
	return steps
}

// set changes the state of a step at a time of day, in seconds.
func (s *Step) set(state, seconds, problem string) {
	second, _ := strconv.ParseInt(seconds, 10, 64) // step.sh prints numbers
	at := time.Unix(second, 0)
	s.State, s.Problem = state, problem
	switch state {
	case Running:
		s.began = at
	case Done, Failed:
		s.Took = at.Sub(s.began)
	}
}

// lastLines returns the last complete lines of a text, at most outputKept bytes.
func lastLines(text string) string {
	if over := len(text) - outputKept; over > 0 {
		_, text, _ = strings.Cut(text[over:], "\n")
	}
	return strings.ToValidUTF8(strings.TrimSpace(text), "\uFFFD")
}

// Watch prints on line how the steps end, and on a terminal which are running and for how long. It returns when the
// build has ended, or when ctx is done: then it has stopped the build.
func (b *Build) Watch(ctx context.Context, line *printable.StatusLine) {
	// Bootstrap has told how the runner was compiled.
	report := reporter(line, func(step Step) bool { return step.Name != runnerStep })
	b.poll(ctx, report)
	if ctx.Err() != nil {
		b.stop()
		report(b.Steps())
	}
	line.Clear()
	if steps := b.Steps(); len(steps.In(Failed)) > 0 && ctx.Err() == nil {
		line.Print("Everything else is served. Fix the problem, then run the same command again: it " +
			"continues where it stopped.")
	}
}

// poll calls f with the steps several times a second, until it returns true, ctx is done, or it was called after the
// end.
func (b *Build) poll(ctx context.Context, f func(Steps) (enough bool)) {
	tick := time.NewTicker(100 * time.Millisecond)
	defer tick.Stop()
	for {
		over := b.hasEnded()
		if f(b.Steps()) || over {
			return
		}
		select {
		case <-tick.C:
		case <-b.ended:
		case <-ctx.Done():
			return
		}
	}
}

// reporter returns a function that prints on line which steps have ended since the last call, and which are running.
// It prints lines only for steps that shows accepts. The function always returns false.
func reporter(line *printable.StatusLine, shows func(Step) bool) func(Steps) bool {
	states := map[string]string{}
	return func(steps Steps) bool {
		for _, step := range steps {
			if states[step.Name] != step.State && shows(step) {
				tell(line, step)
			}
			states[step.Name] = step.State
		}
		line.ShowLines(runningLines(steps)...)
		return false
	}
}

// tell prints a line when a step ends and, where there is no terminal, when it begins.
func tell(line *printable.StatusLine, step Step) {
	switch {
	case step.State == Running && !line.Terminal():
		line.Print("%-8s %s", step.Name, step.Does)
	case step.State == Done:
		line.Print("%-8s %s", step.Name, took(step))
	case step.State == Failed:
		line.Print("%-8s %s:\n    %s", step.Name, took(step), strings.ReplaceAll(step.Problem, "\n", "\n    "))
	case step.State == Skipped:
		line.Print("%-8s skipped: %s", step.Name, step.Problem)
	}
}

// runningLines returns a line for each running step, in at most 79 columns.
func runningLines(steps Steps) (lines []string) {
	for _, step := range steps.In(Running) {
		text := fmt.Sprintf("%-8s %.0f s: %s", step.Name, step.Took.Seconds(), step.Does)
		if len(text) > 79 {
			text = text[:76] + "..."
		}
		lines = append(lines, text)
	}
	return lines
}
