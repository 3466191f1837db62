package verdict

import (
	"context"
	"strings"
	"testing"

	"onthestack/internal/execution"
	"onthestack/internal/exercise"
)

// alwaysBuilds is a Builder whose builds all succeed, and a Runner that fails the test when it is used.
type alwaysBuilds struct{ t *testing.T }

func (alwaysBuilds) BuildTest(context.Context, execution.Source) (*execution.Build, error) {
	return &execution.Build{OK: true, Close: func() error { return nil }}, nil
}

func (alwaysBuilds) Engine() string { return "native" }

func (b alwaysBuilds) Load(context.Context, string) (execution.TestProgram, error) {
	b.t.Error("the program is run")
	return fakeEngine{}, nil
}

// TestUnparsed checks a file that go/parser gives up on and the compiler accepts. It must fail at the policy stage, and
// must not be run.
func TestUnparsed(t *testing.T) {
	catalog, err := exercise.Sealed()
	if err != nil {
		t.Fatal(err)
	}
	e := catalog[0]
	deep := "package " + e.Package + "\n\nconst deep = " + strings.Repeat("(", 100_100) + "1" + strings.Repeat(")",
		100_100) + "\n\nvar kept int\n"
	v, err := Checker{Builder: alwaysBuilds{t}, Runner: alwaysBuilds{t}}.Check(t.Context(), e,
		map[string][]byte{e.Edit[0]: []byte(deep)})
	if err != nil {
		t.Fatal(err)
	}
	if v.Pass || v.Stage != StagePolicy || len(v.Errors) != 1 || v.Errors[0].Line != 3 ||
		!strings.Contains(v.Errors[0].Message, "cannot be parsed") {
		t.Errorf("pass %v, stage %q, %v", v.Pass, v.Stage, v.Errors)
	}
}
