package measure

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"go/version"
	"maps"
	"path"
	"slices"
	"strings"
	"time"

	"onthestack/internal/bookdata"
	"onthestack/internal/build"
	"onthestack/internal/execution"
	"onthestack/internal/programs"
	"onthestack/internal/sandbox"
	"onthestack/internal/step"
)

// stepTime bounds each of the runs of a program whose steps are recorded.
const stepTime = time.Minute

// recordSteps records the steps of the programs that the book wants, as a reader's checkalloc step does. texts has them
// by name.
func (m *Measurer) recordSteps(ctx context.Context, texts map[string]string) ([]*bookdata.RecordedSteps, error) {
	if len(texts) == 0 {
		return nil, nil
	}
	tools, err := build.OpenCached(ctx, build.SandboxLimits(), build.IsolatedOptions{}, "fmt")
	if err != nil {
		return nil, err
	}
	defer tools.Close()
	stepper := step.Stepper{
		Compiler: programs.Compiler{Builder: tools, GOOS: "wasip1",
			Language: strings.TrimPrefix(version.Lang(tools.Version()), "go")},
		Recorder: sandbox.Wasm{
			Limits: sandbox.Limits{Time: stepTime, Output: execution.MaxOutput, Memory: execution.MaxMemory},
		},
	}
	var all []*bookdata.RecordedSteps
	for _, name := range slices.Sorted(maps.Keys(texts)) {
		m.Progress("the steps of %s", name)
		d, err := stepper.Steps(ctx, texts[name])
		switch {
		case err != nil:
			return nil, fmt.Errorf("%s: %w", name, err)
		case d.Errors != "":
			return nil, fmt.Errorf("%s cannot be stepped through: %s", name, d.Errors)
		case d.Unmeasured != "" || d.Cut != "":
			return nil, fmt.Errorf("%s cannot be shown: %s%s: make the program smaller", name, d.Unmeasured, d.Cut)
		}
		all = append(all, &bookdata.RecordedSteps{Program: name, Go: tools.Version(), Steps: d})
	}
	return all, nil
}

// checkSteps records the steps again and compares them with what is stored. Its error joins the differences. A program
// whose steps are not stored, or that has changed since, is not recorded.
func (m *Measurer) checkSteps(ctx context.Context, programs map[string]string) error {
	var problems []error
	stored, same := map[string]*bookdata.RecordedSteps{}, map[string]string{}
	for _, name := range slices.Sorted(maps.Keys(programs)) {
		r, err := bookdata.ReadRecordedSteps(m.fs(), name, programs[name])
		if err != nil {
			problems = append(problems, err)
			continue
		}
		if m.sampled(path.Dir(name)) {
			stored[name], same[name] = r, programs[name]
		}
	}
	recorded, err := m.recordSteps(ctx, same)
	if err != nil {
		return errors.Join(append(problems, err)...)
	}
	for _, r := range recorded {
		was, err1 := json.Marshal(stored[r.Program].Steps)
		is, err2 := json.Marshal(r.Steps)
		if err := cmp.Or(err1, err2); err != nil {
			return err
		}
		if string(was) != string(is) {
			problems = append(problems,
				fmt.Errorf("%s/%s: the steps on %s differ from those stored, of %s: run \"make measure\"",
					m.Book, bookdata.StepsFile(r.Program), r.Go, stored[r.Program].Go))
		}
	}
	return errors.Join(problems...)
}
