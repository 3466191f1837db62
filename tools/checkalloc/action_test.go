package main

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/rogpeppe/go-internal/testscript"
	"go.yaml.in/yaml/v3"
)

// root is the root of the repository. Scripts run in other folders.
var root, _ = filepath.Abs(filepath.Join("..", ".."))

// A shellStep is a step of a workflow or of an action that runs commands.
type shellStep struct {
	ID, Run string
	Env     map[string]string
}

// expression matches an expression of GitHub Actions.
var expression = regexp.MustCompile(`\$\{\{ *(.*?) *\}\}`)

// actionStep runs "step ID": the commands of this step in action.yml, as GitHub's runner does. The values of
// expressions are the script's variables of the same name, and the defaults of inputs. The step's outputs become
// variables, too.
func actionStep(ts *testscript.TestScript, neg bool, args []string) {
	if len(args) != 1 {
		ts.Fatalf("usage: step ID")
	}
	text, err := os.ReadFile(filepath.Join(root, "action.yml"))
	ts.Check(err)
	var action struct {
		Inputs map[string]struct{ Default string }
		Runs   struct{ Steps []shellStep }
	}
	ts.Check(yaml.Unmarshal(text, &action))
	i := slices.IndexFunc(action.Runs.Steps, func(s shellStep) bool { return s.ID == args[0] && s.Run != "" })
	if i < 0 {
		ts.Fatalf("action.yml has no step %s with commands", args[0])
	}
	step := action.Runs.Steps[i]
	if expression.MatchString(step.Run) {
		ts.Fatalf("the commands of %s have an expression: pass it by env", step.ID)
	}
	for name, value := range step.Env {
		ts.Setenv(name, expression.ReplaceAllStringFunc(value, func(e string) string {
			of := expression.FindStringSubmatch(e)[1]
			if name, ok := strings.CutPrefix(of, "inputs."); ok && ts.Getenv(of) == "" {
				return action.Inputs[name].Default
			}
			return ts.Getenv(of)
		}))
	}
	outputs := ts.MkAbs(filepath.Join(ts.Getenv("RUNNER_TEMP"), "outputs"))
	ts.Check(os.WriteFile(outputs, nil, 0o666))
	ts.Setenv("GITHUB_OUTPUT", outputs)
	err = ts.Exec("bash", "--noprofile", "--norc", "-e", "-o", "pipefail", "-c", step.Run)
	if neg != (err != nil) {
		ts.Fatalf("step %s: %v", step.ID, err)
	}
	for line := range strings.Lines(ts.ReadFile(outputs)) {
		name, value, _ := strings.Cut(strings.TrimSpace(line), "=")
		ts.Setenv(fmt.Sprintf("steps.%s.outputs.%s", step.ID, name), value)
	}
}

// onPage runs "page FILE": the page about pull requests shows this comment, without its links and headings.
func onPage(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 1 {
		ts.Fatalf("usage: page FILE")
	}
	page, err := os.ReadFile(pullRequests)
	ts.Check(err)
	_, comment, _ := strings.Cut(ts.ReadFile(args[0]), "\n")
	comment = regexp.MustCompile(`\[(<code>.*?</code>)\]\(.*?\)`).ReplaceAllString(comment, "$1")
	comment = regexp.MustCompile(`(?m)^### (.*)$`).ReplaceAllString(comment, "**$1**")
	if !strings.Contains(string(page), comment) {
		ts.Fatalf("%s has to show\n%s", pullRequests, comment)
	}
}

// pullRequests is the page of the book about pull requests.
var pullRequests = filepath.Join(root, "book", "pull-requests", "README.md")

// gitlabBlock matches the job for GitLab on the page about pull requests.
var gitlabBlock = regexp.MustCompile("(?s)```yaml\n(allocations:\n.*?)```")

// gitlabJob runs "job": the script of the job for GitLab that the book shows, without what installs checkalloc.
func gitlabJob(ts *testscript.TestScript, neg bool, args []string) {
	page, err := os.ReadFile(pullRequests)
	ts.Check(err)
	block := gitlabBlock.FindSubmatch(page)
	if block == nil {
		ts.Fatalf("the page shows no job")
	}
	var file struct {
		Allocations struct {
			Variables map[string]string
			Script    []string
		}
	}
	ts.Check(yaml.Unmarshal(block[1], &file))
	for name, value := range file.Allocations.Variables {
		ts.Setenv(name, os.Expand(value, ts.Getenv))
	}
	err = ts.Exec("bash", "-e", "-o", "pipefail", "-c", strings.Join(file.Allocations.Script, "\n"))
	if neg != (err != nil) {
		ts.Fatalf("the job: %v", err)
	}
}
