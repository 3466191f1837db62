package main

import (
	"io"
	"strings"
	"testing"
	"time"

	"onthestack/internal/bookdata"
	"onthestack/internal/exercise"
)

func TestReadEnd(t *testing.T) {
	for _, c := range []struct {
		stream        string
		status, retry int
		body, err     string
	}{
		{"event: queued\ndata: {\"position\":3}\n\n: still at it\n\nevent: stage\ndata: {\"stage\":\"build\"}\n\n" +
			"event: verdict\ndata: {\"pass\":true}\n\n", 200, 0, `{"pass":true}`, ""},
		{"event: busy\ndata: {\"seconds\":7,\"error\":\"full\"}\n\n", 503, 7, `{"seconds":7,"error":"full"}`, ""},
		{"event: stage\ndata: {}\n\nevent: error\ndata: {\"error\":\"x\"}\n\n", 500, 0, `{"error":"x"}`, ""},
		{"event: stage\ndata: {\"stage\":\"build\"}\n\n", 0, 0, "", `the stream ends after "stage" {"stage":"build"}`},
		{": still at it\n\n", 0, 0, "", `the stream ends after "" `},
		{"event: busy\ndata: soon\n\n", 503, 0, "soon", "invalid character"},
	} {
		status, retry, body, err := readEnd(strings.NewReader(c.stream))
		if status != c.status || retry != c.retry || string(body) != c.body || (err == nil) != (c.err == "") ||
			err != nil &&
				!strings.Contains(err.Error(), c.err) {
			t.Errorf("%q\ngave %d, %d, %q, %v", c.stream, status, retry, body, err)
		}
	}
}

// TestSchedule tests that the class sends the requests that the flags of "make load" describe.
func TestSchedule(t *testing.T) {
	catalog, err := exercise.Sealed()
	if err != nil {
		t.Fatal(err)
	}
	p := plan{clients: 60, presses: 5, within: time.Minute, greedy: 50, seed: 1}
	all, again := p.schedule(catalog), p.schedule(catalog)
	kinds, bodies, streamed := map[string]int{}, map[string]bool{}, 0
	for i, r := range all {
		kinds[r.kind]++
		bodies[r.body] = true
		if r.streamed {
			streamed++
		}
		if r.at < 0 || r.at > p.within || i > 0 && r.at < all[i-1].at {
			t.Errorf("request %d begins after %v", i, r.at)
		}
		if r.body != again[i].body || r.at != again[i].at {
			t.Errorf("request %d differs the second time", i)
		}
	}
	if kinds["hostile"] != 30 || kinds["greedy"] != 50 || kinds["run"]+kinds["check"] != 270 || kinds["run"] < 100 ||
		kinds["check"] < 100 || streamed < 40 {
		t.Errorf("%v, %d streamed", kinds, streamed)
	}
	if len(bodies) != len(all) {
		t.Errorf("%d of %d requests are the same as others", len(all)-len(bodies), len(all))
	}
}

func TestMeasure(t *testing.T) {
	p := plan{clients: 2, presses: 20, within: time.Minute, greedy: 20}
	var requests []request
	var answers []answer
	for i := range 20 {
		requests = append(requests, request{kind: "run", client: i % 2, at: time.Duration(i) * time.Second},
			request{kind: "greedy", client: 2})
		answers = append(answers, answer{took: time.Duration(i+1) * time.Second, busy: i % 2},
			answer{took: 30 * time.Second})
	}
	enough := memory{server: 300 << 20, all: 700 << 20}
	figures := func(m memory) (*bookdata.Classroom, []string) {
		f, wrong := p.figures(requests, answers)
		f.Server, f.All = m.server, m.all
		return f, append(wrong, missed(f)...)
	}
	f, wrong := figures(enough)
	run := bookdata.ClassroomKind{Name: "run", Requests: 20, Busy: 10, P50: 10, P95: 19, Most: 20, Last: 39}
	if len(wrong) > 0 || len(f.Kinds) != 2 || f.Kinds[0] != run || f.Took != 39 {
		t.Errorf("%+v, wrong %q", f, wrong)
	}

	answers[0].problem = "lost: connection refused"
	for i := range answers {
		if requests[i].kind == "greedy" {
			answers[i].took = time.Second
		}
	}
	_, wrong = figures(memory{server: 1 << 30, all: 2 << 30})
	for i, want := range []string{"run, client 0: lost: connection refused", "the runner took 2048 MiB, more than 1536",
		"the class waits for 19.0 s (p95), and the greedy client for 1.0 s"} {
		if len(wrong) <= i || !strings.HasPrefix(wrong[i], want) {
			t.Errorf("wrong %q, want %q", wrong, want)
		}
	}
}

// TestBeside tests that a client which waits longer than maxBeside beside an attack is reported, and that every attack
// has a row.
func TestBeside(t *testing.T) {
	catalog, err := exercise.Sealed()
	if err != nil {
		t.Fatal(err)
	}
	f := &bookdata.Classroom{All: 700 << 20}
	known := map[string]bool{}
	for _, a := range attacks(catalog) {
		if known[a.name] || (a.atOnce > 0) != (a.make != nil) {
			t.Errorf("request %d of the attack %q equals an earlier one: %v", a.atOnce, a.name, known[a.name])
		}
		known[a.name] = true
		f.Beside = append(f.Beside, kindFigures(a.name, []answer{{took: time.Second}, {took: maxBeside * time.Second}}))
	}
	if wrong := missed(f); wrong != nil {
		t.Errorf("wrong %q", wrong)
	}
	f.Beside[2].Most = 3.1
	if wrong := missed(f); len(wrong) != 1 ||
		wrong[0] != "beside one client that sends the same as streams, another waits for 3.1 s, more than 3" {
		t.Errorf("wrong %q", wrong)
	}
}

// TestAttacksAreDifferent tests that no two requests of an attack are equal, because the runner would do their work
// only once.
func TestAttacksAreDifferent(t *testing.T) {
	catalog, err := exercise.Sealed()
	if err != nil {
		t.Fatal(err)
	}
	bodies := map[string]bool{}
	for n := range 10 {
		for _, r := range []request{longBuild(n), large(n), endlessCheck(catalog.Lookup("exercise6"), n),
			hello(n), shared(n)} {
			if bodies[r.body] {
				t.Errorf("sent twice: %s", r.body)
			}
			bodies[r.body] = true
		}
	}
}

// TestGridView tests what the pages of a room are taken to show.
func TestGridView(t *testing.T) {
	var s gridView
	var called []string
	hear := func(what string) func(time.Duration) { return func(time.Duration) { called = append(called, what) } }
	s.expect("p1", "exercise6", func(w work) bool { return w.Attempts >= 2 }, hear("attempts"))
	graded := func(w work) bool { return w.isGraded("s1") }
	s.expect("p1", "exercise6", graded, hear("graded"))
	s.expect("p2", "exercise6", graded, hear("another's"))
	for _, event := range []struct{ work, called string }{
		{`{"attempts": 1}`, ""},
		{`{"attempts": 2, "last": "s1", "state": "queued"}`, "attempts"},
		{`{"attempts": 2, "last": "s0", "state": "graded"}`, "attempts"},
		{`{"attempts": 2, "last": "s1", "state": "graded"}`, "attempts graded"},
		{`{"attempts": 3, "last": "s1", "state": "graded"}`, "attempts graded"},
	} {
		err := s.show([]byte(`{"participants": [{"id": "p1", "work": {"exercise6": ` + event.work + `}}]}`))
		if err != nil || strings.Join(called, " ") != event.called {
			t.Errorf("%s: %v, called %q, want %q", event.work, err, called, event.called)
		}
	}
	s.expect("p1", "exercise6", func(w work) bool { return w.Attempts >= 3 }, hear("at once"))
	if called[len(called)-1] != "at once" {
		t.Errorf("called %q for what is shown already", called)
	}
}

func TestMissedInRoom(t *testing.T) {
	f := &bookdata.Classroom{Kinds: []bookdata.ClassroomKind{{Name: "disk", P95: 0.1}, {Name: "graded", P95: 5.1},
		{Name: "grid", P95: 1}}}
	if missed := missedInRoom(f); len(missed) != 1 || missed[0] != "graded takes 5.1 s (p95), more than 5.0 s" {
		t.Errorf("missed %q", missed)
	}
}

// TestMissedBesideLoops tests which medians are too long.
func TestMissedBesideLoops(t *testing.T) {
	missed := missedBesideLoops(map[int]time.Duration{0: time.Second, 1: 3 * time.Second, 6: time.Second})
	if missed != nil {
		t.Errorf("missed %q", missed)
	}
	missed = missedBesideLoops(map[int]time.Duration{0: time.Second, 1: time.Second, 6: 31 * time.Second / 10})
	if len(missed) != 1 || missed[0] != "beside the endless loops of 6 participants, another waits for 3.1 s, 3.1 times "+
		"as long as alone, more than 3" {
		t.Errorf("missed %q", missed)
	}
}

// TestMistakes tests that flags which make no load are refused before a runner is started.
func TestMistakes(t *testing.T) {
	for args, want := range map[string]string{
		"":                                 "accepts 1 arg(s)",
		"--clients 0 none":                 "--clients 0: give at least 1",
		"--presses 0 none":                 "--presses 0: give at least 1",
		"--within 0s none":                 "--within 0s: give at least 1s",
		"room --check-every 1ms none":      "--check-every 1ms: give at least 1s",
		"room --hand-in-every 30s none":    "--hand-in-every 30s: give at least 1m0s",
		"room --checks nobody none":        "--checks \"nobody\": give runner or page",
		"--engine wasm --json x.json room": "accepts 1 arg(s)",
		"loops --solutions 0 none":         "--solutions 0: give at least 1",
		"room --participants 2 none":       "start none: ",
		"--within 1s --engine wasm none":   "start none: ",
	} {
		c := newCommand()
		c.SetArgs(strings.Fields(args))
		c.SetOut(io.Discard)
		c.SetErr(io.Discard)
		if err := c.ExecuteContext(t.Context()); err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%s: %v, want %s", args, err, want)
		}
	}
}
