package main

import (
	"encoding/json"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"onthestack/tools/checkalloc/app"
)

// pythonBlock matches a block of Python on a page of the site.
var pythonBlock = regexp.MustCompile("(?s)```python\n(.*?)```")

// TestAutograder runs the autograder for Classroom 50 that the site shows in the way Classroom 50's runner does: in a
// student's repository, with checkalloc beside the script.
func TestAutograder(t *testing.T) {
	python, err := exec.LookPath("python3")
	if err != nil {
		if os.Getenv("CI") == "true" {
			t.Fatal("python3 is not on PATH")
		}
		t.Skip("NOT TESTED: the autograder for Classroom 50 needs python3")
	}
	page, err := os.ReadFile("../../site/content/instructors/server/grading.md")
	if err != nil {
		t.Fatal(err)
	}
	blocks := pythonBlock.FindAllSubmatch(page, -1)
	if len(blocks) != 1 {
		t.Fatalf("grading.md has %d blocks of Python", len(blocks))
	}
	program, err := exec.LookPath("checkalloc")
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	if err := layFixture(dir); err != nil {
		t.Fatal(err)
	}
	bundle, repository := filepath.Join(dir, "bundle"), filepath.Join(dir, "ws")
	if err := os.Mkdir(bundle, 0o777); err != nil {
		t.Fatal(err)
	}
	script, result := filepath.Join(bundle, "autograder.py"), filepath.Join(repository, "result.json")
	write := func(name, text string) {
		t.Helper()
		if err := os.WriteFile(name, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	write(script, string(blocks[0][1]))
	if err := os.Symlink(program, filepath.Join(bundle, "checkalloc")); err != nil {
		t.Fatal(err)
	}
	// The policy stage refuses these before a build.
	for _, id := range []string{"exercise6", "exercise7"} {
		write(filepath.Join(repository, "exercises", id, "sum.go"), "package sum\n\nimport \"os\"\n\n"+
			"func Digits([]int) int { return os.Getpid() }\n")
	}
	runner := []string{"CATALOG=" + filepath.Join(dir, "catalog"), "CLASSROOM=go-2026", "ASSIGNMENT=workbook",
		"SUBMISSION_TAG=submit/2026-11-22T14-32-05Z-a1b2c3d", "COMMIT_URL=c", "RELEASE_URL=r", "REVIEW_URL=d",
		"OWNER=alice",
		"ASSIGNMENT_TYPE=individual"}
	grade := func(without string) (code int, said string) {
		t.Helper()
		write(result, `{"schema": "classroom50/result/v1", "score": 100}`) // submitted by the student
		cmd := exec.Command(python, script)
		cmd.Dir = repository
		cmd.Env = os.Environ()
		for _, setting := range runner {
			if without == "" || !strings.HasPrefix(setting, without) {
				cmd.Env = append(cmd.Env, setting)
			}
		}
		out, err := cmd.CombinedOutput()
		if err != nil && !errors.As(err, new(*exec.ExitError)) {
			t.Fatal(err)
		}
		return cmd.ProcessState.ExitCode(), string(out)
	}

	if code, said := grade(""); code != 0 {
		t.Fatalf("exit code %d: %s", code, said)
	}
	text, err := os.ReadFile(result)
	if err != nil {
		t.Fatal(err)
	}
	var graded struct {
		Schema, Owner string
		Score         int
		MaxScore      int `json:"max-score"`
		Tests         []struct{ Passed bool }
	}
	if err := json.Unmarshal(text, &graded); err != nil {
		t.Fatalf("%v in %s", err, text)
	}
	if graded.Schema != "classroom50/result/v1" || graded.Owner != "alice" || graded.Score != 0 ||
		graded.MaxScore != 100 || len(graded.Tests) != 2 {
		t.Errorf("%s", text)
	}
	// Without a grade, the exit code is not 0 and the result is empty.
	if code, said := grade("CLASSROOM="); code != app.ExitUsage ||
		!strings.Contains(said, "its runner sets CLASSROOM, missing here") {
		t.Errorf("exit code %d: %s", code, said)
	}
	if text, err := os.ReadFile(result); err != nil || len(text) > 0 {
		t.Errorf("%v, %s", err, text)
	}
}
