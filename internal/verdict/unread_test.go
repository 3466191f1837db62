package verdict

import (
	"context"
	"strings"
	"testing"

	"onthestack/internal/execution"
	"onthestack/internal/exercise"
)

// builds is a Builder whose every build succeeds, and a Runner that must not be asked.
type builds struct{ t *testing.T }

func (builds) BuildTest(context.Context, execution.Source) (*execution.Build, error) {
	return &execution.Build{OK: true, Close: func() error { return nil }}, nil
}

func (builds) Engine() string { return "native" }

func (b builds) Load(context.Context, string) (execution.TestProgram, error) {
	b.t.Error("the program is run")
	return stand{}, nil
}

// TestUnread: what our parser gives up on, and a compiler takes, fails at the policy and is not run.
func TestUnread(t *testing.T) {
	catalog, err := exercise.Sealed()
	if err != nil {
		t.Fatal(err)
	}
	e := catalog[0]
	deep := "package " + e.Package + "\n\nconst deep = " + strings.Repeat("(", 100_100) + "1" + strings.Repeat(")",
		100_100) + "\n\nvar kept int\n"
	v, err := Checker{Builder: builds{t}, Runner: builds{t}}.Check(t.Context(), e,
		map[string][]byte{e.Edit[0]: []byte(deep)})
	if err != nil {
		t.Fatal(err)
	}
	if v.Pass || v.Stage != StagePolicy || len(v.Errors) != 1 || v.Errors[0].Line != 3 ||
		!strings.Contains(v.Errors[0].Message, "cannot be parsed") {
		t.Errorf("pass %v, stage %q, %v", v.Pass, v.Stage, v.Errors)
	}
}
