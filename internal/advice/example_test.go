package advice_test

import (
	"fmt"

	"onthestack/internal/advice"
	"onthestack/internal/exercise"
	"onthestack/internal/verdict"
)

func ExampleOf() {
	e := &exercise.Exercise{ID: "exercise6", Manifest: exercise.Manifest{Imports: []string{"bytes", "io"}}}
	v := &verdict.Verdict{Stage: verdict.StageBuild, Errors: []verdict.Problem{
		{File: "stream.go", Line: 12, Message: "undefined: io"}}}
	for _, a := range advice.Of(e, v, nil) {
		fmt.Println(a.Text)
	}
	// Output: import `io`, which line 12 uses.
}
