package buildsite

import (
	"time"

	terminal "onthestack/internal/progress"
	"onthestack/runner/prepare"
)

// runnerStep is the name of the step that compiles the runner.
const runnerStep = "runner"

// NewWithRunner returns the steps that compile the runner into the file at path and build the site. They print on line how they end,
// except for failures of the site's steps: the runner runs these again. Once the step of the runner has ended, ended is called.
func NewWithRunner(path string, line *terminal.Line, ended func(built bool)) (*prepare.Steps, error) {
	steps := []prepare.Step{{
		Name: runnerStep, Does: "compile the server that checks exercises and runs programs", Estimate: 75 * time.Second,
		Command: []string{"go", "build", "-o", path, "./runner"},
	}}
	for _, step := range siteSteps() {
		// A runner that only has to be linked again is there sooner than this, and then nothing is begun twice.
		step.Command = append([]string{"sh", "-c", `sleep 3; exec "$@"`, "sh"}, step.Command...)
		steps = append(steps, step)
	}
	// Compiling the runner leaves a core idle for a while, because some of its largest packages wait for each other.
	return newSteps(steps, 3, func(step prepare.Status) {
		isRunner := step.Name == runnerStep
		if isRunner || step.State == prepare.Done {
			tell(line, step)
		}
		if isRunner && step.State.Ended() {
			ended(step.State == prepare.Done)
		}
	})
}
