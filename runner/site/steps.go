package site

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"time"

	"onthestack/internal/printable"
)

// siteSteps are the steps that build the site: targets of the Makefile, in the order in which they start. The steps
// that the book depends on come first. Estimates were measured on two processors; durations recorded on this machine
// replace them.
//
// No two steps build the same target at the same time, because each depends on the steps that build what it uses.
func siteSteps() []Step {
	target := func(name string) []string {
		return []string{"make", "--silent", "--no-print-directory", "QUICK=1", name}
	}
	// Steps that the book does not need run at a lower priority, and on two processors they wait for it.
	later := func(name string) []string { return append([]string{"nice", "-n", "15"}, target(name)...) }
	var afterBook []string
	if runtime.NumCPU() <= 2 {
		afterBook = []string{"book"}
	}
	return []Step{
		{Name: "mdBook", Does: "fetch mdBook, which builds the book", Estimate: 5 * time.Second, Resumable: true,
			Command: target("step-mdbook")},
		{Name: "scripts", Does: "fetch the pages' libraries and bundle their scripts", Estimate: 15 * time.Second,
			Command: target("step-scripts")},
		{Name: "book", Does: "build the book", Estimate: 10 * time.Second, Needs: []string{"mdBook", "scripts"},
			Command: target("step-book")},
		{Name: "Hugo", Does: "fetch Hugo, which builds the site", Estimate: 10 * time.Second, Wants: afterBook,
			Command: later("step-hugo")},
		{Name: "engine", Does: "compile Go's compiler for the pages", Estimate: 60 * time.Second,
			Resumable: true, Wants: afterBook,
			Command: later("step-engine")},
		{Name: "site", Does: "build the site around the book", Estimate: 15 * time.Second, Needs: []string{"scripts",
			"Hugo"},
			Wants:   []string{"book", "engine"},
			Command: target("step-site")},
	}
}

// stopGrace is how long an interrupted step may clean up.
const stopGrace = 5 * time.Second

// NewSteps returns the steps that build the site. Each prints on line how it ends.
func NewSteps(line *printable.StatusLine) (*Steps, error) {
	return stepsInRepository(siteSteps(), max(2, runtime.NumCPU()), func(step Status) { tell(line, step) })
}

// runnerStep is the name of the step that compiles the runner.
const runnerStep = "runner"

// NewStepsWithRunner returns the steps that compile the runner into the file at path and build the site. They print on
// line how they end, except for failures of the site's steps, which the runner runs again. Once the step of the runner
// has ended, built is sent whether it succeeded.
func NewStepsWithRunner(path string, line *printable.StatusLine, built chan<- bool) (*Steps, error) {
	steps := []Step{{
		Name: runnerStep, Does: "compile the server that checks exercises and runs programs",
		Estimate: 75 * time.Second,
		Command:  []string{"go", "build", "-o", path, "./runner"},
	}}
	// The runner comes first. Compiling it leaves a core idle for a while, because some of its largest packages wait
	// for each other: so there are three commands for two processors, and the others run at a lower priority.
	for _, step := range siteSteps() {
		step.Command = append([]string{"nice", "-n", "10"}, step.Command...)
		steps = append(steps, step)
	}
	return stepsInRepository(steps, 3, func(step Status) {
		if step.Name == runnerStep || step.State == Done {
			tell(line, step)
		}
		if step.Name == runnerStep && step.State.Ended() {
			built <- step.State == Done
		}
	})
}

// stepsInRepository returns steps that run in the repository's root. It is an error if this process runs elsewhere.
func stepsInRepository(steps []Step, parallel int, report func(Status)) (*Steps, error) {
	if text, err := os.ReadFile("go.mod"); err != nil || !strings.HasPrefix(string(text), "module onthestack\n") {
		return nil, fmt.Errorf("--prepare on: run it in the repository's root, or let \"make serve\" do so")
	}
	record := ""
	if dir, err := os.UserCacheDir(); err == nil {
		record = filepath.Join(dir, "onthestack", "steps.json")
	}
	return newSteps(steps, stepOptions{Parallel: parallel, Grace: stopGrace, Record: record, Report: report})
}

// tell prints a line when a step ends.
func tell(line *printable.StatusLine, step Status) {
	switch step.State {
	case Done:
		line.Print("%-8s done in %s", step.Name, seconds(step.Took))
	case Failed:
		line.Print("%-8s failed after %s:\n%s", step.Name, seconds(step.Took), indented(step.Problem))
	case Skipped:
		line.Print("%-8s skipped: %s", step.Name, step.Problem)
	}
}

func indented(text string) string { return "    " + strings.ReplaceAll(text, "\n", "\n    ") }

// seconds formats a duration in seconds, with one decimal below ten.
func seconds(d time.Duration) string {
	if d < 10*time.Second {
		return fmt.Sprintf("%.1f s", d.Seconds())
	}
	return fmt.Sprintf("%.0f s", d.Seconds())
}

// reportEvery is how often a long step is reported where there is no terminal.
const reportEvery = 20 * time.Second

// RunSteps runs the steps. On a terminal it shows which steps are running and for how long. Otherwise it prints a line
// for each step that runs for longer than a step needs to find that there is nothing to build, and again every
// reportEvery.
func RunSteps(ctx context.Context, steps *Steps, line *printable.StatusLine) {
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		steps.Run(ctx)
	}()
	tick := time.NewTicker(time.Second)
	defer tick.Stop()
	reported := map[string]time.Duration{} // for how long each step had run when it was last reported
	for {
		select {
		case <-ended:
			line.Clear()
			if all := steps.Snapshot(); len(all.In(Failed)) > 0 && ctx.Err() == nil {
				line.Print("Everything else is served. Fix the problem, then run \"make serve\" again: it " +
					"continues where it stopped.")
			}
			return
		case <-tick.C:
			all := steps.Snapshot()
			line.ShowLines(runningLines(all)...)
			if !line.Terminal() {
				for _, text := range reports(all, reported) {
					line.Print("%s", text)
				}
			}
		}
	}
}

// reports returns a line for each running step that is due to be reported, and notes in reported that it is.
func reports(steps Snapshot, reported map[string]time.Duration) (lines []string) {
	for _, step := range steps.In(Running) {
		last, before := reported[step.Name]
		switch {
		case !before && step.Took >= time.Second:
			lines = append(lines, fmt.Sprintf("%-8s %s: about %.0f s", step.Name, step.Does, step.Estimate.Seconds()))
		case before && step.Took >= last+reportEvery:
			lines = append(lines, fmt.Sprintf("%-8s %.0f s of about %.0f s", step.Name, step.Took.Seconds(),
				step.Estimate.Seconds()))
		default:
			continue
		}
		reported[step.Name] = step.Took
	}
	return lines
}

// runningLines returns a line for each running step, in at most 79 columns.
func runningLines(steps Snapshot) (lines []string) {
	for _, step := range steps.In(Running) {
		text := fmt.Sprintf("%-8s %.0f s of about %.0f s: %s", step.Name, step.Took.Seconds(), step.Estimate.Seconds(),
			step.Does)
		if len(text) > 79 {
			text = text[:76] + "..."
		}
		lines = append(lines, text)
	}
	return lines
}
