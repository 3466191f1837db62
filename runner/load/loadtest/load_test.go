package loadtest

import (
	"bytes"
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
		status, retry, body, err := readEnd([]byte(c.stream))
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
	all, again := schedule(p, catalog), schedule(p, catalog)
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
		f, wrong := measure(p, requests, answers, "go1.26.8")
		f.Server, f.All = m.server, m.all
		return f, append(wrong, missed(f)...)
	}
	f, wrong := figures(enough)
	run := bookdata.ClassroomKind{Name: "run", Requests: 20, Busy: 10, P50: 10, P95: 19, Most: 20, Last: 39}
	if len(wrong) > 0 || len(f.Kinds) != 2 || f.Kinds[0] != run || f.Took != 39 {
		t.Errorf("%+v, wrong %q", f, wrong)
	}
	var shown bytes.Buffer
	if show(&shown, "confined", f); !strings.Contains(shown.String(), "run        20    10  10 s  19 s  20 s") {
		t.Errorf("shown as\n%s", shown.String())
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
		if known[a.name] || (a.atOnce > 0) != (a.one != nil) {
			t.Errorf("request %d of the attack %q equals an earlier one: %v", a.atOnce, a.name, known[a.name])
		}
		known[a.name] = true
		f.Beside = append(f.Beside, kindFigures(a.name, []answer{{took: time.Second}, {took: maxBeside * time.Second}}))
	}
	if wrong := missed(f); wrong != nil {
		t.Errorf("wrong %q", wrong)
	}
	var shown bytes.Buffer
	show(&shown, "confined", f)
	if !strings.Contains(shown.String(), "checks without end         2     0  1.0 s  3.0 s  3.0 s") {
		t.Errorf("shown as\n%s", shown.String())
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
		for _, r := range []request{longBuild(n), large(n), endlessCheck(catalog.Lookup("exercise1"), n),
			hello(n), shared(n)} {
			if bodies[r.body] {
				t.Errorf("sent twice: %s", r.body)
			}
			bodies[r.body] = true
		}
	}
}

func TestValid(t *testing.T) {
	good := plan{clients: 60, presses: 5, within: time.Minute, greedy: 50}
	if err := good.valid(1); err != nil {
		t.Error(err)
	}
	for want, spoil := range map[string]func(*plan){
		"--clients 0": func(p *plan) { p.clients = 0 }, "--clients 201": func(p *plan) { p.clients = 201 },
		"--presses 101": func(p *plan) { p.presses = 101 }, "--greedy 1001": func(p *plan) { p.greedy = 1001 },
		"--within 0s":  func(p *plan) { p.within = 0 },
		"--beside -1s": func(p *plan) { p.beside = -time.Second },
	} {
		bad := good
		spoil(&bad)
		if err := bad.valid(1); err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%+v gives %v, want %s", bad, err, want)
		}
	}
}

// TestGridView tests what the pages of a room are taken to show.
func TestGridView(t *testing.T) {
	var s gridView
	var called []string
	hear := func(what string) func(time.Duration) { return func(time.Duration) { called = append(called, what) } }
	s.expect("p1", "exercise1", 2, hear("attempts"))
	s.expectGraded("p1", "exercise1", "s1", hear("graded"))
	s.expectGraded("p2", "exercise1", "s1", hear("another's"))
	for _, event := range []struct{ work, called string }{
		{`{"attempts": 1}`, ""},
		{`{"attempts": 2, "last": "s1", "state": "queued"}`, "attempts"},
		{`{"attempts": 2, "last": "s0", "state": "graded"}`, "attempts"},
		{`{"attempts": 2, "last": "s1", "state": "graded"}`, "attempts graded"},
		{`{"attempts": 3, "last": "s1", "state": "graded"}`, "attempts graded"},
	} {
		err := s.show([]byte(`{"participants": [{"id": "p1", "work": {"exercise1": ` + event.work + `}}]}`))
		if err != nil || strings.Join(called, " ") != event.called {
			t.Errorf("%s: %v, called %q, want %q", event.work, err, called, event.called)
		}
	}
	if s.expect("p1", "exercise1", 3, hear("at once")); called[len(called)-1] != "at once" {
		t.Errorf("called %q for what is shown already", called)
	}
}

func TestRoomValid(t *testing.T) {
	good := roomPlan{participants: 300, duration: time.Minute, check: time.Minute, hand: time.Minute}
	if err := good.valid(1); err != nil {
		t.Error(err)
	}
	for want, spoil := range map[string]func(*roomPlan){
		"--participants 0":    func(p *roomPlan) { p.participants = 0 },
		"--participants 301":  func(p *roomPlan) { p.participants = 301 },
		"--for 0s":            func(p *roomPlan) { p.duration = 0 },
		"--check-every 1ms":   func(p *roomPlan) { p.check = time.Millisecond },
		"--hand-in-every 30s": func(p *roomPlan) { p.hand = 30 * time.Second },
	} {
		bad := good
		spoil(&bad)
		if err := bad.valid(1); err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%+v gives %v, want %s", bad, err, want)
		}
	}
	f := &bookdata.Classroom{Kinds: []bookdata.ClassroomKind{{Name: "disk", P95: 0.1}, {Name: "graded", P95: 5.1},
		{Name: "grid", P95: 1}}}
	if missed := missedInRoom(f); len(missed) != 1 || missed[0] != "graded takes 5.1 s (p95), more than 5.0 s" {
		t.Errorf("missed %q", missed)
	}
}
