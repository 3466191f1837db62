package main

import (
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"onthestack/runner/settings"
)

// unitFile is the unit with which systemd starts the runner.
const unitFile = "systemd/onthestack-runner.service"

// readUnit returns the settings of the unit: "Service.Restart" has the values of each line Restart= in [Service].
func readUnit(t *testing.T) (text string, entries map[string][]string) {
	t.Helper()
	content, err := os.ReadFile(unitFile)
	if err != nil {
		t.Fatal(err)
	}
	section := ""
	entries = map[string][]string{}
	for line := range strings.Lines(string(content)) {
		line = strings.TrimSpace(line)
		key, value, ok := strings.Cut(line, "=")
		switch {
		case line == "", strings.HasPrefix(line, "#"):
		case strings.HasPrefix(line, "["):
			section = strings.Trim(line, "[]")
		case !ok || strings.TrimSpace(key) != key:
			t.Errorf("%q is no setting", line)
		default:
			entries[section+"."+key] = append(entries[section+"."+key], value)
		}
	}
	return string(content), entries
}

func TestUnit(t *testing.T) {
	_, unit := readUnit(t)
	for key, want := range map[string]string{
		"Service.ExecStart": "/usr/local/bin/onthestack-runner", "Service.DynamicUser": "yes",
		"Service.NoNewPrivileges": "yes", "Service.ProtectSystem": "strict",
		"Service.ProtectHome": "yes", "Service.PrivateTmp": "yes", "Service.CapabilityBoundingSet": "",
		"Service.KillSignal": "SIGTERM",
		"Install.WantedBy":   "multi-user.target",
	} {
		if got, ok := unit[key]; !ok || strings.Join(got, " ") != want {
			t.Errorf("%s is %q, want %q", key, got, want)
		}
	}
	for _, key := range []string{"Service.MemoryMax", "Service.TasksMax", "Service.SystemCallFilter",
		"Service.RestrictAddressFamilies", "Service.StateDirectory", "Service.CacheDirectory"} {
		if len(unit[key]) == 0 {
			t.Errorf("there is no %s", key)
		}
	}
	if _, ok := unit["Service.MemoryDenyWriteExecute"]; ok {
		t.Error("MemoryDenyWriteExecute is set: wazero's compiler needs memory that it may write and run")
	}
	// The runner understands each setting of the unit.
	env := map[string]string{}
	for _, assignment := range unit["Service.Environment"] {
		name, value, _ := strings.Cut(assignment, "=")
		value = strings.ReplaceAll(value, "%C", "/var/cache")
		env[name] = strings.ReplaceAll(value, "%S", "/var/lib")
	}
	used := map[string]bool{}
	s, err := settings.Runner.Parse(nil, func(name string) (string, bool) {
		used[name] = true
		value, ok := env[name]
		return value, ok
	}, io.Discard)
	if err != nil {
		t.Fatal(err)
	}
	for name := range env {
		if strings.HasPrefix(name, "RUNNER_") && !used[name] {
			t.Errorf("%s is no flag's twin", name)
		}
	}
	if !s.Loopback() || len(s.Proxies) == 0 || s.Log != "json" || s.Data != "/var/cache/onthestack-runner/data" ||
		s.State != "/var/lib/onthestack-runner/rooms" || s.Snippets == "" {
		t.Errorf("the unit runs it with %+v", s)
	}
	seconds, err := strconv.Atoi(strings.Join(unit["Service.TimeoutStopSec"], " "))
	if err != nil || time.Duration(seconds)*time.Second <= s.StopTime {
		t.Errorf("TimeoutStopSec is %q, and the runner waits %v when it stops", unit["Service.TimeoutStopSec"],
			s.StopTime)
	}
}

// TestUnitVerify has systemd read the unit, where there is one.
func TestUnitVerify(t *testing.T) {
	analyze, err := exec.LookPath("systemd-analyze")
	if err != nil {
		t.Log("NOT TESTED: systemd, which is not installed, does not read the unit")
		return
	}
	text, _ := readUnit(t)
	// systemd wants the program to be there.
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), filepath.Base(unitFile))
	if err := os.WriteFile(file, []byte(strings.Replace(text, "/usr/local/bin/onthestack-runner\n\n#", exe+"\n\n#", 1)),
		0o644); err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), analyze, "verify", "--man=no", file)
	if out, err := cmd.CombinedOutput(); err != nil || len(out) > 0 {
		t.Errorf("systemd-analyze verify: %v\n%s", err, out)
	}
}
