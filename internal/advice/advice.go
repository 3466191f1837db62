// Package advice says what to do next after a check of an exercise that failed. The terminal, the pages and the
// assistants show the same advice, each in its own form.
//
// [Of] returns it as data, by the stage that failed (build.go, benchmark.go). mistake.go recognizes the likely mistakes
// that the authors of the exercises have recorded. A new kind of advice is a constant in package verdict and a case
// here; the pages add what one can do in them, in web/src/verdict/advice.ts.
package advice

import (
	"fmt"

	"onthestack/internal/exercise"
	"onthestack/internal/verdict"
)

// Of returns what to do next after a check of files as a solution of e: a likely mistake that the code has, if it is
// known, and the next step. There may be neither. It is for verdict.Checker.Advise.
func Of(e *exercise.Exercise, v *verdict.Verdict, files map[string][]byte) []verdict.Advice {
	var all []verdict.Advice
	if m := mistake(e, v, files); m != nil {
		all = append(all, verdict.Advice{
			Kind: verdict.AdviseMistake, File: e.Edit[0], Text: m.Title + ". " + m.Say, Mistake: m.Name,
		})
	}
	if step := next(e, v); step.Kind != "" {
		all = append(all, step)
	}
	return all
}

// next returns the next step. It has no kind if nothing is known that would lead further.
func next(e *exercise.Exercise, v *verdict.Verdict) verdict.Advice {
	switch v.Stage {
	case verdict.StagePolicy:
		return policy(v.Errors[0])
	case verdict.StageBuild:
		return build(e, v.Errors[0])
	case verdict.StageTests:
		if v.Tests.Unfinished {
			return verdict.Advice{Kind: verdict.AdviseEndless,
				Text:    "find the line of the code that does not end, or that ends the program.",
				Command: "go test -timeout 10s " + folder(e)}
		}
		return verdict.Advice{Kind: verdict.AdviseTests, Text: "make the tests pass again.",
			Command: "go test " + folder(e)}
	}
	return benchmark(e, v)
}

// folder returns the folder of an exercise as an argument of the go command.
func folder(e *exercise.Exercise) string { return "./" + e.Dir() }

// policy returns what to do about something that the policy refuses.
func policy(p verdict.Problem) verdict.Advice {
	if p.Line == 0 { // the file is missing, or cannot be read
		return verdict.Advice{Kind: verdict.AdviseFile, File: p.File,
			Text: "correct " + p.File + " first, as described above."}
	}
	return verdict.Advice{Kind: verdict.AdvisePolicy, File: p.File, Line: p.Line,
		Text: fmt.Sprintf("remove what the policy refuses on line %d; a solution does not need it.", p.Line)}
}
