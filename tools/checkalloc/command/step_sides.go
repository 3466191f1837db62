package command

import (
	"context"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"strings"

	"onthestack/internal/build"
	"onthestack/internal/execution"
	"onthestack/internal/programs"
	"onthestack/internal/sandbox"
	"onthestack/internal/step"
	"onthestack/tools/checkalloc/app"
)

// A side is a program to step through, and the release that builds it.
type side struct {
	name    string // what tells it from the other side
	body    string
	release string // "" for the installed one
}

// sides returns what is to be stepped through: one program, two programs in a file each, or one program on
// two releases.
func (c *stepCall) sides(ctx context.Context, args []string) ([]side, error) {
	if len(c.releases) > 2 {
		return nil, app.Usagef("--go %s: at most two releases fit side by side", strings.Join(c.releases, ","))
	}
	releases, err := fetchReleases(ctx, c.releases)
	if err != nil {
		return nil, err
	}
	programs := [][]string{args}
	if len(args) == 2 && hasMain(args[0]) && hasMain(args[1]) {
		if len(releases) == 2 {
			return nil, app.Usagef("give two programs or two releases, not both: only two fit side by side")
		}
		programs = [][]string{args[:1], args[1:]}
	}
	if len(releases) == 0 {
		releases = []string{""}
	}
	var sides []side
	for _, files := range programs {
		body, err := readProgram(files)
		if err != nil {
			return nil, err
		}
		for _, release := range releases {
			s := side{strings.Join(files, " "), body, release}
			if len(releases) == 2 {
				s.name = release
			}
			sides = append(sides, s)
		}
	}
	return sides, nil
}

// hasMain reports whether a file has a main function. A file that cannot be read or parsed has none: its mistake is
// reported when it is built.
func hasMain(name string) bool {
	file, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.SkipObjectResolution)
	if err != nil {
		return false
	}
	for _, d := range file.Decls {
		if f, ok := d.(*ast.FuncDecl); ok && f.Recv == nil && f.Name.Name == "main" {
			return true
		}
	}
	return false
}

// stepSides builds and runs the programs. If a program does not compile, that is the error.
func stepSides(ctx context.Context, sides []side) (compared []step.Compared, err error) {
	opened := map[string]*build.Isolated{}
	defer func() {
		for _, tools := range opened {
			tools.Close()
		}
	}()
	for _, s := range sides {
		if opened[s.release] == nil {
			// Without prepared packages each build would compile the runtime, in a cache that is then thrown away.
			tools, err := build.OpenCached(ctx, build.SandboxLimits(), build.IsolatedOptions{Release: s.release}, "fmt")
			if err != nil {
				return nil, err
			}
			opened[s.release] = tools
		}
		one, err := s.steps(ctx, opened[s.release])
		if err != nil {
			return nil, err
		}
		compared = append(compared, one)
	}
	return compared, nil
}

func (s side) steps(ctx context.Context, tools *build.Isolated) (step.Compared, error) {
	compared := step.Compared{Name: s.name, Go: tools.Version()}
	zones, err := tools.Zones()
	if err != nil {
		return compared, err
	}
	compared.Steps, err = step.Stepper{
		Compiler: programs.Compiler{Builder: tools, GOOS: "wasip1", Language: language(tools.Version())},
		Recorder: sandbox.Wasm{
			Limits: sandbox.Limits{Time: stepTime, Output: execution.MaxOutput, Memory: execution.MaxMemory},
			Zones:  zones,
		},
	}.Steps(ctx, s.body)
	if err == nil && compared.Steps.Errors != "" {
		err = fmt.Errorf("%s does not compile:\n%s", s.what(), strings.TrimSuffix(compared.Steps.Errors, "\n"))
	}
	return compared, err
}

// what names the program in an error: "main.go", "on go1.27.4, the program".
func (s side) what() string {
	if s.name == s.release {
		return "on " + s.release + ", the program"
	}
	return s.name
}

// language returns the language version of a release, "1.26" for "go1.26.8".
func language(release string) string {
	parts := strings.SplitN(strings.TrimPrefix(release, "go"), ".", 3)
	return strings.Join(parts[:min(2, len(parts))], ".")
}
