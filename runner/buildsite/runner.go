package buildsite

import (
	"time"

	terminal "onthestack/internal/progress"
	"onthestack/runner/prepare"
)

// runnerStep is the name of the step that compiles the runner.
const runnerStep = "runner"

// NewWithRunner returns the steps that compile the runner into the file at path and build the site. They print on line
// how they end, except for failures of the site's steps, which the runner runs again. Once the step of the runner has
// ended, built is sent whether it succeeded.
func NewWithRunner(path string, line *terminal.Line, built chan<- bool) (*prepare.Steps, error) {
	steps := []prepare.Step{{
		Name: runnerStep, Does: "compile the server that checks exercises and runs programs", Estimate: 75 * time.Second,
		Command: []string{"go", "build", "-o", path, "./runner"},
	}}
	// The runner comes first. Compiling it leaves a core idle for a while, because some of its largest packages wait
	// for each other: so there are three commands for two processors, and the others run at a lower priority.
	for _, step := range siteSteps() {
		step.Command = append([]string{"nice", "-n", "10"}, step.Command...)
		steps = append(steps, step)
	}
	return newSteps(steps, 3, func(step prepare.Status) {
		if step.Name == runnerStep || step.State == prepare.Done {
			tell(line, step)
		}
		if step.Name == runnerStep && step.State.Ended() {
			built <- step.State == prepare.Done
		}
	})
}
