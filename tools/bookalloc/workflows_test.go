package main

import (
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/rhysd/actionlint"
	"go.yaml.in/yaml/v3"
)

// TestWorkflows lints the workflows of this repository, the workflows on pages of the book, and the steps of
// action.yml. Commands in them are checked too if shellcheck is installed.
func TestWorkflows(t *testing.T) {
	workflows := map[string][]byte{"action.yml": asWorkflow(t)}
	names, err := filepath.Glob(filepath.Join(repository, ".github", "workflows", "*.yml"))
	if err != nil || len(names) == 0 {
		t.Fatalf("no workflow (%v)", err)
	}
	for _, name := range names {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		workflows[filepath.Base(name)] = text
	}
	for _, page := range []string{"holding-a-budget", "pull-requests"} {
		text, err := os.ReadFile(filepath.Join(repository, "book", page, "README.md"))
		if err != nil {
			t.Fatal(err)
		}
		block := regexp.MustCompile("(?s)```yaml\n(name: .*?)```").FindSubmatch(text)
		if block == nil {
			t.Fatalf("the page %s shows no workflow", page)
		}
		workflows["the workflow of "+page] = block[1]
	}
	shellcheck, err := exec.LookPath("shellcheck")
	if err != nil {
		t.Log("NOT TESTED: commands in workflows by shellcheck, which is not installed")
	}
	linter, err := actionlint.NewLinter(io.Discard, &actionlint.LinterOptions{Shellcheck: shellcheck})
	if err != nil {
		t.Fatal(err)
	}
	for name, text := range workflows {
		found, err := linter.Lint(name, text, nil)
		if err != nil {
			t.Error(err)
		}
		for _, e := range found {
			t.Error(e)
		}
	}
	// The linter has to notice something.
	broken := strings.Replace(string(workflows["action.yml"]), "steps.base.outputs.file", "steps.gone.outputs.file", 1)
	if found, err := linter.Lint("broken", []byte(broken), nil); err != nil || len(found) == 0 {
		t.Errorf("a step that does not exist was not noticed: %v", err)
	}
}

// asWorkflow returns action.yml as a workflow with the same inputs and steps, since actionlint checks only workflows.
func asWorkflow(t *testing.T) []byte {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(repository, "action.yml"))
	if err != nil {
		t.Fatal(err)
	}
	var action struct {
		Name, Description string
		Inputs            map[string]map[string]any
		Runs              struct {
			Using string
			Steps []map[string]any
		}
	}
	if err := yaml.Unmarshal(text, &action); err != nil {
		t.Fatal(err)
	}
	if action.Name == "" || action.Description == "" || action.Runs.Using != "composite" ||
		len(action.Runs.Steps) == 0 {
		t.Errorf("action.yml lacks something: %+v", action)
	}
	for name, input := range action.Inputs {
		if input["description"] == "" {
			t.Errorf("input %s has no description", name)
		}
		delete(input, "default") // of a workflow, it cannot be an expression with the token
		input["type"] = "string"
	}
	workflow, err := yaml.Marshal(map[string]any{
		"on":   map[string]any{"workflow_call": map[string]any{"inputs": action.Inputs}},
		"jobs": map[string]any{"action": map[string]any{"runs-on": "ubuntu-latest", "steps": action.Runs.Steps}},
	})
	if err != nil {
		t.Fatal(err)
	}
	return workflow
}
