package api

import (
	"encoding/json"
	"regexp"
	"strings"
	"testing"
	"time"
)

// TestPlaygroundPrograms tests the behaviour that clients of play.golang.org rely on, by one program of each kind.
func TestPlaygroundPrograms(t *testing.T) { holdAll(t, playgroundPrograms) }

// TestProofPlaygroundPrograms does the same with all others.
func TestProofPlaygroundPrograms(t *testing.T) { holdAll(t, morePlaygroundPrograms) }

// TestOutOfTime sends a program without end to a server that soon ends it, and then another program.
func TestOutOfTime(t *testing.T) {
	t.Parallel()
	s := idleServer(t, 1, 1).prepared(t, "fmt")
	s.settings.Program.Time = time.Second
	ts := startServer(t, s.handler())
	outOfTime(s.settings.Program.Time).hold(t, ts.URL)
	s.settings.Program.Time = testProgramTime
	if r := compileAt(t, ts.URL, hello, false); printed(r, "stdout") != "hi\n" {
		t.Errorf("the next program: %+v", r)
	}
}

func holdAll(t *testing.T, programs []played) {
	for _, p := range programs {
		t.Run(p.name, func(t *testing.T) {
			t.Parallel()
			p.hold(t, base)
		})
	}
}

func (p played) hold(t *testing.T, address string) {
	r := compileAt(t, address, p.body, p.vet)
	events, err := json.Marshal(r.Events)
	if err != nil {
		t.Fatal(err)
	}
	printed := printed(r, "stdout", "stderr")
	if r.Errors != p.errors || r.Status != p.status || r.IsTest != p.test || r.TestsFailed != p.failed ||
		position.ReplaceAllString(r.VetErrors, "$1: ") != p.vetErrors ||
		r.VetOK != (p.vet && p.vetErrors == "" && p.errors == "") || !strings.Contains(printed, p.printed) ||
		p.events != "" && string(events) != p.events {
		t.Errorf("%+v\nprinted %q\nevents %s", r, printed, events)
	}
}

// position matches the position of a finding, whose column differs between releases of vet.
var position = regexp.MustCompile(`(\.go:\d+):\d+: `)

// TestModules has a program import a package of another module, which the go command fetches from its own proxy.
func TestModules(t *testing.T) {
	t.Parallel()
	const body = "package main\n\nimport (\n\t\"fmt\"\n\n\t\"github.com/bradfitz/iter\"\n)\n\nfunc main() {\n" +
		"\tfor i := range iter.N(3) {\n\t\tfmt.Println(i)\n\t}\n\tfmt.Printf(\"%d\\n\")\n}\n"
	r := compile(t, body, true)
	if r.Errors != "" || printed(r, "stdout") != "0\n1\n2\n%!d(MISSING)\n" || position.ReplaceAllString(r.VetErrors,
		"$1: ") != "./prog.go:13: fmt.Printf format %d reads arg #1, but call has 0 args\n" {
		t.Errorf("%+v", r)
	}
}
