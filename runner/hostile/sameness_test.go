package hostile

import (
	"bytes"
	"fmt"
	"go/version"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"onthestack/internal/build"
	"onthestack/internal/execution"
	"onthestack/internal/programs"
)

// TestNightlySameness builds the hostile programs, both with compilelink and with the go command, and
// tests that a reader cannot tell the two apart: the messages are the same, and so is the program except for its build
// ID. Programs that take too long to build are not compared.
func TestNightlySameness(t *testing.T) {
	programs := map[string]string{}
	for _, h := range slices.Concat(endlessRuns, brief()) {
		programs[h.name] = h.body
	}
	direct, command := openBuilder(t, false), openBuilder(t, true)
	if o := direct.built(t, hello); !bytes.Contains(o.program, anyBuild) {
		t.Error("hello world is not built without the go command")
	}
	for name, body := range programs {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			one, other := direct.built(t, body), command.built(t, body)
			if one == nil || other == nil {
				return
			}
			if one.said != other.said {
				t.Errorf("directly %s\nby the go command %s", one.said, other.said)
			}
			if !sameProgram(one.program, other.program) {
				t.Errorf("the program of %d bytes differs from the program of %d bytes that the go command built",
					len(one.program), len(other.program))
			}
		})
	}
}

// A programBuilder builds programs as the server does.
type programBuilder struct{ *build.Isolated }

func openBuilder(t *testing.T, commandOnly bool) programBuilder {
	limits := build.StrangerLimits()
	limits.Time = 5 * time.Second
	isolated, err := build.OpenIsolated(dataDir, limits, build.IsolatedOptions{CommandOnly: commandOnly})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { isolated.Close() })
	std, err := isolated.Std(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if err := isolated.Prepare(t.Context(), std...); err != nil {
		t.Fatal(err)
	}
	return programBuilder{isolated}
}

// A builtProgram is everything about a build that a reader can observe.
type builtProgram struct {
	said    string
	program []byte
}

// anyBuild replaces the build ID of a program that was built without the go command.
var anyBuild = bytes.Repeat([]byte("-"), 83)

// sameProgram reports whether two programs are equal except for their build IDs.
func sameProgram(direct, command []byte) bool {
	if len(direct) != len(command) {
		return false
	}
	for at := 0; ; {
		next := bytes.Index(direct[at:], anyBuild)
		if next < 0 {
			return bytes.Equal(direct, command)
		}
		at += next
		copy(command[at:], anyBuild)
		at += len(anyBuild)
	}
}

// built builds a program. It returns nil for a program that does not build, or not in time.
func (p programBuilder) built(t *testing.T, body string) *builtProgram {
	language := strings.TrimPrefix(version.Lang(p.Version()), "go")
	plan, problem := programs.Compiler{GOOS: "wasip1", Language: language}.Plan(body)
	if problem != "" {
		return nil
	}
	b, err := p.Build(t.Context(), programs.WithStackLimit(plan.Source()))
	if err != nil {
		t.Fatal(err)
	}
	defer b.Close()
	if b.Stop.Kind == execution.BuildTime {
		return nil
	}
	o := &builtProgram{said: fmt.Sprintf("OK %v, stopped %q\n%s", b.OK, b.Stop, b.Output)}
	if b.OK {
		if o.program, err = os.ReadFile(b.Binary); err != nil {
			t.Fatal(err)
		}
	}
	return o
}
