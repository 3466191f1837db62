//go:build unix

package site

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"onthestack/internal/printable"
)

// command stands for the commands of the steps: it runs the test's script, in the file script, with the step's name.
const command = `#!/bin/sh
case "$0 $*" in
*"go build "*) step=runner ;;
*mdbook) step=mdBook ;;
*scripts.json) step=scripts ;;
*book/index.html) step=book ;;
*hugo) step=Hugo ;;
*manifest.json) step=engine ;;
*public/index.html) step=site ;;
*) exit 0 ;; # the preprocessor is compiled
esac
. ./script
`

// buildInFolder starts a build of the steps in the Makefile, whose commands are the script.
func buildInFolder(t *testing.T, script string, args ...string) *Build {
	t.Helper()
	realMake, err := exec.LookPath("make")
	if err != nil {
		t.Fatal(err)
	}
	root, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	// The go command tests again when a file has changed that a test reads, but it does not know what make reads.
	stepScript, err := os.ReadFile(filepath.Join(root, "tools", "setup", "step.sh"))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := os.ReadFile(filepath.Join(root, "Makefile")); err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	for name, text := range map[string]string{
		"go.mod": "module onthestack\n", "script": script, "setup/step.sh": string(stepScript),
		"setup/program.sh": command, "bin/go": command, "bin/make-target": command,
		"bin/make": fmt.Sprintf("#!/bin/sh\nexec %s -f %s/Makefile SETUP=setup MAKE=bin/make-target \"$@\"\n",
			realMake, root),
	} {
		file := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(text), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	t.Setenv("PATH", filepath.Join(dir, "bin")+string(os.PathListSeparator)+os.Getenv("PATH"))
	t.Setenv("MAKEFLAGS", "") // of the make that runs this test
	t.Chdir(dir)
	b, err := startBuild(args...)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := b.Close(); err != nil {
			t.Error(err)
		}
		if _, err := os.Stat(b.dir); err == nil {
			t.Error("the folder of make's output is left")
		}
	})
	return b
}

// watch watches a build until it ends, and returns what is printed.
func watch(ctx context.Context, b *Build) string {
	var out strings.Builder
	b.Watch(ctx, printable.NewStatusLine(&out))
	return out.String()
}

func fileLines(t *testing.T, name string) []string {
	t.Helper()
	text, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	return strings.Split(strings.TrimSpace(string(text)), "\n")
}

// TestSteps makes the steps of the Makefile. The runner, mdBook and the scripts wait for each other, so they end only
// if they run at the same time; and everything else comes after what it needs.
func TestSteps(t *testing.T) {
	b := buildInFolder(t, `
echo "begins $step [$WITHOUT]" >>order
case $step in
runner | mdBook | scripts)
    touch "is-$step"
    until [ -e is-runner ] && [ -e is-mdBook ] && [ -e is-scripts ]; do sleep 0.01; done ;;
esac
echo "ends $step" >>order
`, "RUNNER=the runner")
	said := watch(t.Context(), b)
	order := fileLines(t, "order")
	at := func(line string) int {
		t.Helper()
		i := slices.Index(order, line)
		if i < 0 {
			t.Errorf("the order lacks %q: %q", line, order)
		}
		return i
	}
	for step, needs := range map[string]string{"book": "mdBook scripts", "site": "scripts Hugo book engine"} {
		for need := range strings.FieldsSeq(needs) {
			if at("begins "+step+" []") < at("ends "+need) {
				t.Errorf("%s begins before %s has ended: %q", step, need, order)
			}
		}
	}
	steps := b.Steps()
	if !steps.over() || len(steps.In(Done)) != 7 || steps[0].Name != runnerStep || len(order) != 14 {
		t.Errorf("%q, the steps are %+v", order, steps)
	}
	if strings.Count(said, " done") != 6 {
		t.Errorf("it said\n%s", said)
	}
}

// TestFailure has steps fail: steps that need them are skipped, and the site, which only wants two of them, is built
// without them.
func TestFailure(t *testing.T) {
	b := buildInFolder(t, `
case $step in
mdBook) echo "missing: cargo" >&2; printf '    install Rust' >&2; exit 3 ;;
engine) exit 4 ;;
site) echo "without $WITHOUT" ;;
esac
`)
	said := watch(t.Context(), b)
	states := map[string]string{}
	for _, step := range b.Steps() {
		states[step.Name] = step.State + " " + step.Problem
	}
	for name, want := range map[string]string{
		"mdBook": "failed missing: cargo\n    install Rust", "scripts": "done ",
		"book": "skipped It needs the result of mdBook.", "Hugo": "done ", "engine": "failed exit status 4", "site": "done ",
	} {
		if states[name] != want {
			t.Errorf("%s: %q, want %q", name, states[name], want)
		}
	}
	if steps := b.Steps(); steps[len(steps)-1].Output != "without  book engine" {
		t.Errorf("the site was built %s", steps[len(steps)-1].Output)
	}
	for _, want := range []string{"    missing: cargo\n        install Rust\n", "mdBook   failed",
		"engine   failed", "book     skipped: It needs the result of mdBook.\n",
		"Fix the problem, then run the same command again"} {
		if !strings.Contains(said, want) {
			t.Errorf("it did not say %q:\n%s", want, said)
		}
	}
}

// TestInterrupted interrupts steps: one that cleans up, one that ignores the signal, and the processes that both have
// started.
func TestInterrupted(t *testing.T) {
	defer func(grace time.Duration) { stopGrace = grace }(stopGrace)
	stopGrace = time.Second
	b := buildInFolder(t, `
case $step in
mdBook) trap 'touch tidied; exit 1' TERM; sleep 1000 & echo $! >one.new; mv one.new one; wait ;;
scripts)
    trap '' TERM
    sh -c 'trap "" TERM; sleep 1000' & echo $! >two.new; mv two.new two
    while :; do wait; done ;;
esac
`)
	ctx, interrupt := context.WithCancel(t.Context())
	said := make(chan string)
	go func() { said <- watch(ctx, b) }()
	one, two := waitForPID("one"), waitForPID("two")
	if running := b.Steps().In(Running); len(running) < 2 {
		t.Errorf("under way are %+v", running)
	}
	interrupt()
	text := <-said
	if _, err := os.Stat("tidied"); err != nil {
		t.Error("the first step could not clean up")
	}
	for _, pid := range []int{one, two} {
		// A killed process remains a zombie until its parent waits for it.
		for alive(pid) {
			time.Sleep(time.Millisecond)
		}
	}
	for _, want := range []string{"scripts  failed:\n", "    It was interrupted. The next start continues it.\n",
		"site     skipped: It was interrupted.\n"} {
		if !strings.Contains(text, want) {
			t.Errorf("it did not say %q:\n%s", want, text)
		}
	}
	if strings.Contains(text, "Fix the problem") {
		t.Errorf("the interruption is a problem to be fixed:\n%s", text)
	}
}

// waitForPID waits for a file with the number of a process.
func waitForPID(file string) int {
	for {
		text, _ := os.ReadFile(file)
		if pid, err := strconv.Atoi(strings.TrimSpace(string(text))); err == nil {
			return pid
		}
		time.Sleep(time.Millisecond)
	}
}

func alive(pid int) bool {
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err == nil {
		_, state, _ := strings.Cut(string(stat), ") ")
		return !strings.HasPrefix(state, "Z")
	}
	return syscall.Kill(pid, 0) == nil
}
