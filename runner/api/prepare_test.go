//go:build unix

package api

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"onthestack/internal/verdict"
	"onthestack/runner/site"
)

// makeForSteps stands in for make: it prints how the steps go, one of which fails, and does not end by itself.
const makeForSteps = `#!/bin/sh
for step in mdBook scripts book engine site; do echo "$step= waiting 0 build it"; done
mkdir -p public/book && echo the book >public/book/index.html
printf 'scripts= running 1 \nscripts= done 4 \nmdBook= running 1 \n'
until [ -e go ]; do sleep 0.01; done
printf 'mdBook: missing: cargo\nmdBook= failed 3 exit status 1\nbook= skipped 3 It needs the result of mdBook.\n'
printf 'engine= running 3 \n'
sleep 1000 & echo $! >engine.new; mv engine.new engine; wait
`

// TestPrepare starts the runner as "make serve" does, with steps that take a while. The runner serves, checks, and
// reports the progress of the steps; when it is stopped, the steps end too.
func TestPrepare(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{"go.mod": "module onthestack\n", "bin/make": makeForSteps} {
		file := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(text), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	t.Setenv("PATH", filepath.Join(dir, "bin")+string(os.PathListSeparator)+os.Getenv("PATH"))
	t.Chdir(dir)
	// No busy machine reaches these limits.
	p := startProcess(t, "--prepare", "on", "--addr", "127.0.0.1:0", "--build-time", "5m", "--run-time", "5m")

	if a := send(t, "GET", p.at+"/exercises/", "", ""); a.status != 200 ||
		!strings.Contains(a.body, "Building the workbook") {
		t.Errorf("a missing page: status %d\n%s", a.status, a.body)
	}
	// It builds and runs a program, and finds that a solution does not build.
	if r := compileAt(t, p.at, hello, false); printed(r, "stdout") != "hi\n" {
		t.Errorf("a program meanwhile: %+v", r)
	}
	if v := decode[verdict.Verdict](t, postCheckTo(t, p.at, "exercise6",
		map[string]string{"stream.go": "package stream"})); v.Stage != verdict.StageBuild {
		t.Errorf("a check meanwhile: stage %q", v.Stage)
	}
	waitFor(t, "the root to lead to the book",
		func() bool { return send(t, "GET", p.at+"/", "", "").header.Get("Location") == "./book/" })
	waitFor(t, "the log to say what is under way",
		func() bool { return p.log.contains("mdBook   build it\n") })
	if err := os.WriteFile("go", nil, 0o644); err != nil {
		t.Fatal(err)
	}
	state := func() string { return send(t, "GET", p.at+site.StatePath+"?at=/preparing", "", "").body }
	waitFor(t, "mdBook to fail and the engine to be begun", func() bool {
		return strings.Contains(state(), "Under way: engine. Failed: mdBook.")
	})
	if !strings.Contains(state(), "missing: cargo") {
		t.Errorf("the state lacks the reason: %s", state())
	}
	var engine []byte
	waitFor(t, "the engine's process", func() (begun bool) {
		engine, _ = os.ReadFile("engine")
		return len(engine) > 0
	})
	pid, err := strconv.Atoi(strings.TrimSpace(string(engine)))
	if err != nil {
		t.Fatal(err)
	}

	p.signal(t)
	if err := p.Wait(); err != nil {
		t.Errorf("the runner ended with %v", err)
	}
	waitFor(t, "what the engine's step had started to be gone",
		func() bool { return syscall.Kill(pid, 0) != nil || isZombie(pid) })
	said := p.log.String()
	for _, want := range []string{
		"scripts  done in 3 s\n", "    missing: cargo\n", "mdBook   failed after 2 s:\n",
		"book     skipped: It needs the result of mdBook.\n", "engine   failed:\n",
		"    It was interrupted. The next start continues it.\n",
		"site     skipped: It was interrupted.\n",
	} {
		if !strings.Contains(said, want) {
			t.Errorf("it did not say %q", want)
		}
	}
	if strings.ContainsAny(said, "\r\x1b") || strings.Contains(said, site.StatePath) {
		t.Error("there are control sequences, or the log has the pages' polling")
	}
	if t.Failed() {
		t.Log(said)
	}
}

func isZombie(pid int) bool {
	stat, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat")
	_, state, _ := strings.Cut(string(stat), ") ")
	return err == nil && strings.HasPrefix(state, "Z")
}
