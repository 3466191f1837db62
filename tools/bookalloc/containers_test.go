package main

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// TestDockerfile tests that the files exist that the Dockerfile copies, and that the runner has the flags and the path
// that it names. Nothing here can build the image. If hadolint is installed, it lints this file and the Dockerfile of
// the development container.
func TestDockerfile(t *testing.T) {
	if hadolint, err := exec.LookPath("hadolint"); err != nil {
		t.Log("NOT TESTED: the Dockerfiles by hadolint, which is not installed")
	} else {
		cmd := exec.Command(hadolint, "Dockerfile", filepath.Join(".devcontainer", "Dockerfile"))
		cmd.Dir = repository
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Errorf("hadolint: %v\n%s", err, out)
		}
	}
	text, err := os.ReadFile(filepath.Join(repository, "Dockerfile"))
	if err != nil {
		t.Fatal(err)
	}
	flags, err := os.ReadFile(filepath.Join(repository, "runner", "settings", "flags.go"))
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range regexp.MustCompile(`RUNNER_([A-Z_]+)=`).FindAllSubmatch(text, -1) {
		flag := strings.ReplaceAll(strings.ToLower(string(m[1])), "_", "-")
		if !strings.Contains(string(flags), fmt.Sprintf("%q", flag)) {
			t.Errorf("the runner has no flag --%s", flag)
		}
	}
	for _, m := range regexp.MustCompile(`(?m)^COPY ([^-].*) \S+$`).FindAllSubmatch(text, -1) {
		for name := range strings.FieldsSeq(string(m[1])) {
			if _, err := os.Stat(filepath.Join(repository, name)); err != nil {
				t.Error(err)
			}
		}
	}
	server, err := os.ReadFile(filepath.Join(repository, "runner", "api", "handler.go"))
	if err != nil {
		t.Fatal(err)
	}
	const health = "/_ah/health"
	if !strings.Contains(string(text), health) || !strings.Contains(string(server), health) {
		t.Errorf("the Dockerfile or the runner has no %s", health)
	}
	// The parts that are easily lost: another user than root, a release of Go, and no shell around the runner.
	for _, want := range []string{`(?m)^USER [1-9]\d*:[1-9]\d*$`, `(?m)^FROM golang:1\.\d+-\w+$`, `(?m)^ENTRYPOINT \[`,
		`(?m)^HEALTHCHECK `} {
		if !regexp.MustCompile(want).Match(text) {
			t.Errorf("nothing in the Dockerfile matches %s", want)
		}
	}
}

// TestDevcontainer tests that the description of the development container is JSON, and that its commands exist.
func TestDevcontainer(t *testing.T) {
	text, err := os.ReadFile(filepath.Join(repository, ".devcontainer", "devcontainer.json"))
	if err != nil {
		t.Fatal(err)
	}
	var config struct {
		Build             struct{ Dockerfile string }
		ForwardPorts      []int
		PostAttachCommand string
	}
	if err := json.Unmarshal(text, &config); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(filepath.Join(repository, ".devcontainer", config.Build.Dockerfile)); err != nil {
		t.Error(err)
	}
	makefile, err := os.ReadFile(filepath.Join(repository, "Makefile"))
	if err != nil {
		t.Fatal(err)
	}
	target, ok := strings.CutPrefix(config.PostAttachCommand, "make ")
	if !ok || !strings.Contains(string(makefile), "\n"+target+": ") {
		t.Errorf("make has no target for %q", config.PostAttachCommand)
	}
	if len(config.ForwardPorts) != 1 || !strings.Contains(string(makefile), fmt.Sprintf("127.0.0.1:%d\n",
		config.ForwardPorts[0])) {
		t.Errorf("the ports %v are not the address that make serves", config.ForwardPorts)
	}
}
