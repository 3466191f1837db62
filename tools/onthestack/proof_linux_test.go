package main

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"

	"onthestack/internal/sandbox/jail"
)

// alone is the environment variable with which this test runs itself in a network of its own.
const alone = "ONTHESTACK_TEST_ALONE"

func init() {
	if os.Getenv(alone) != "" {
		os.Unsetenv(alone)
		if err := runAlone(os.Args[1:]); err != nil {
			os.Stderr.WriteString("no network of its own: " + err.Error() + "\n")
		}
		os.Exit(1)
	}
}

// runAlone turns on the loopback interface of this process's network, and executes a command.
func runAlone(command []string) error {
	socket, err := unix.Socket(unix.AF_INET, unix.SOCK_DGRAM|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		return err
	}
	loopback, err := unix.NewIfreq("lo")
	if err != nil {
		return err
	}
	loopback.SetUint16(unix.IFF_UP)
	if err := unix.IoctlIfreq(socket, unix.SIOCSIFFLAGS, loopback); err != nil {
		return err
	}
	program, err := exec.LookPath(command[0])
	if err != nil {
		return err
	}
	return syscall.Exec(program, command, os.Environ())
}

// TestProofOneFile builds the one file for this machine, and has a browser use it where there is nothing else: without
// Go, without a clone, and in a network that consists of this machine alone. The steps are in web/test/onefile.
func TestProofOneFile(t *testing.T) {
	if _, err := os.Stat("site.zip"); errors.Is(err, os.ErrNotExist) {
		t.Fatal("there is no site to put into the program: " +
			"run \"make tools/onthestack/site.zip\" in the clone's root first")
	}
	if err := jail.Probe(); err != nil {
		t.Fatalf("NOT TESTED: this machine gives a process no network of its own: %v", err)
	}
	program := filepath.Join(t.TempDir(), "onthestack")
	build := exec.CommandContext(t.Context(), "go", "build", "-tags", "dist", "-trimpath",
		"-ldflags", "-s -w -X main.release=2026.11.23 -X main.commit=0123456789ab", "-o", program, ".")
	build.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("go build: %v\n%s", err, out)
	}
	version, err := exec.CommandContext(t.Context(), program, "--version").CombinedOutput()
	want := "onthestack version 2026.11.23 (commit 0123456789ab), built with " + runtime.Version() + " for linux/" +
		runtime.GOARCH
	if err != nil || strings.TrimSpace(string(version)) != want {
		t.Errorf("--version: %v: %s, want %s", err, version, want)
	}

	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	browse := exec.CommandContext(t.Context(), self, "node", "test/run.mjs", "onefile")
	browse.Dir = filepath.Join("..", "..", "web")
	browse.Env = append(os.Environ(), alone+"=1", "ONTHESTACK="+program)
	browse.Stdout, browse.Stderr = os.Stdout, os.Stderr
	id := func(host int) []syscall.SysProcIDMap { return []syscall.SysProcIDMap{{HostID: host, Size: 1}} }
	browse.SysProcAttr = &syscall.SysProcAttr{
		Cloneflags:  syscall.CLONE_NEWUSER | syscall.CLONE_NEWNET,
		UidMappings: id(os.Getuid()), GidMappings: id(os.Getgid()),
	}
	if err := browse.Run(); err != nil {
		t.Errorf("the file in a browser: %v; its steps are above", err)
	}
}
