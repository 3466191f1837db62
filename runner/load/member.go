package main

import (
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"net/http"
	"slices"
	"sync"
	"time"

	"onthestack/internal/exercise"
)

// A member is a participant of a loadedRoom.
type member struct {
	room   *loadedRoom
	client *http.Client
	number int
	id     string
	token  string
	page   gridView
}

// work checks, and hands in, for the time of the plan. Each exercise is handed in once, as a page does by itself when a
// check passes. It returns once everything is graded.
func (m *member) work(ctx context.Context) {
	p := m.room.plan
	random := rand.New(rand.NewPCG(p.seed, uint64(m.number)))
	order := random.Perm(len(m.room.catalog))
	var graded sync.WaitGroup
	defer graded.Wait()
	begin := time.Now()
	solveAt := random.Int64N(int64(p.hand)) // a class does not hand in all at once
	attempts, solved := 0, 0
	for at := random.Int64N(int64(p.check)); time.Duration(at) < p.duration; at += int64(p.check) {
		pause(ctx, time.Until(begin.Add(time.Duration(at))))
		if ctx.Err() != nil {
			return
		}
		e := m.room.catalog[order[solved]]
		pass := at >= solveAt && solved < len(order)-1
		m.check(ctx, e, attempts, pass)
		attempts++
		if m.progress(ctx, e, pass) {
			m.expectInGrid(e, attempts)
		}
		if !pass {
			continue
		}
		solveAt += int64(p.hand)
		graded.Add(1)
		if !m.handIn(ctx, e, attempts-1, attempts+1, graded.Done) {
			graded.Done()
		}
		attempts = 0
		solved++
	}
}

// solution returns the files that a participant has at an attempt: nobody else has the same ones.
func (m *member) solution(e *exercise.Exercise, attempt int, pass bool) request {
	return check(e, m.number*1000+attempt, pass)
}

// check presses Check, if the runner checks.
func (m *member) check(ctx context.Context, e *exercise.Exercise, attempt int, pass bool) {
	if m.room.plan.pages {
		return
	}
	r := m.solution(e, attempt, pass)
	r.header["Cookie"] = (&http.Cookie{Name: "onthestack-seat", Value: m.room.code + "." + m.token}).String()
	a := r.press(ctx, m.client, m.room.address)
	if a.problem != "" {
		m.room.fault("check of %s by participant %d: %s", e.ID, m.number, a.problem)
	}
	m.room.note("check", a.took, a.busy)
}

// progress tells the room what a check showed, as the page does.
func (m *member) progress(ctx context.Context, e *exercise.Exercise, pass bool) bool {
	body := map[string]any{"exercise": e.ID, "stage": "benchmark", "allocs": 2, "target": 1}
	if pass {
		body = map[string]any{"exercise": e.ID, "stage": "", "allocs": 1, "target": 1}
	}
	_, err := m.room.ask(ctx, m.client, "POST", "/"+m.room.code+"/progress", m.token, "", body, nil)
	if err != nil {
		m.room.fault("progress of participant %d: %v", m.number, err)
	}
	return err == nil
}

// handIn hands in what was checked last. It calls graded once the page has heard that it is graded, and reports whether
// the submission was acknowledged. attempts is how many attempts the grid then shows.
func (m *member) handIn(ctx context.Context, e *exercise.Exercise, attempt, attempts int, graded func()) bool {
	r := m.solution(e, attempt, true)
	var submitted struct{ ID string }
	start := time.Now()
	busy, err := m.room.ask(ctx, m.client, "POST", "/"+m.room.code+"/submissions", m.token,
		fmt.Sprint(e.ID, " ", attempt), json.RawMessage(r.body), &submitted)
	if err != nil {
		m.room.fault("submission of participant %d: %v", m.number, err)
		return false
	}
	took := time.Since(start)
	m.room.note("disk", took, busy)
	m.room.mu.Lock()
	m.room.total++
	m.room.mu.Unlock()
	m.expectInGrid(e, attempts)
	m.page.expect(m.id, e.ID, func(w work) bool { return w.isGraded(submitted.ID) }, func(since time.Duration) {
		m.room.note("graded", took+since, 0)
		graded()
	})
	return true
}

// expectInGrid notes how long it takes until the instructor's grid shows that number of attempts.
func (m *member) expectInGrid(e *exercise.Exercise, attempts int) {
	m.room.grid.expect(m.id, e.ID, func(w work) bool { return w.Attempts >= attempts },
		func(took time.Duration) { m.room.note("grid", took, 0) })
}

// ask sends a request to the room, again if the runner is busy, and decodes the answer.
func (r *loadedRoom) ask(
	ctx context.Context, c *http.Client, method, path, token, key string, body, answer any,
) (busy int, err error) {
	text, err := json.Marshal(body)
	if err != nil {
		return 0, err
	}
	header := map[string]string{}
	if token != "" {
		header["Authorization"] = "Bearer " + token
	}
	if key != "" {
		header["Idempotency-Key"] = key
	}
	q := request{method: method, path: "/api/rooms" + path, header: header, body: string(text)}
	got, busy, err := q.send(ctx, c, r.address)
	if err == nil && answer != nil {
		err = json.Unmarshal(got, answer)
	}
	return busy, err
}

// watch follows the room's events as a page does, until ctx is done.
func (r *loadedRoom) watch(ctx context.Context, c *http.Client, token string, s *gridView) {
	header := map[string]string{"Authorization": "Bearer " + token}
	q := request{method: http.MethodGet, path: "/api/rooms/" + r.code + "/events", header: header}
	for ctx.Err() == nil {
		reply, err := q.open(ctx, c, r.address)
		if err != nil {
			pause(ctx, time.Second)
			continue
		}
		if reply.StatusCode != http.StatusOK {
			r.fault("a stream of events: status %d", reply.StatusCode)
		}
		for e := range events(reply.Body) {
			if e.id != "" {
				header["Last-Event-ID"] = e.id
			}
			if err := s.show([]byte(e.data)); err != nil {
				r.fault("an event that cannot be read: %v", err)
			}
		}
		reply.Body.Close()
	}
}

// A gridView has the part of a room's grid that a page shows, and the functions that wait until it shows something.
type gridView struct {
	mu       sync.Mutex
	work     map[cellKey]work
	expected []expectation
}

// A cellKey identifies a cell of the grid.
type cellKey struct{ participant, exercise string }

type work struct {
	Attempts    int
	Last, State string
}

// isGraded reports whether the last submission is the one with the ID, and was graded.
func (w work) isGraded(id string) bool { return w.Last == id && w.State != "queued" }

type expectation struct {
	cellKey
	satisfied func(work) bool
	since     time.Time
	seen      func(took time.Duration)
}

// expect calls f once the cell satisfies a condition, with the time that this took.
func (s *gridView) expect(participant, exercise string, satisfied func(work) bool, f func(time.Duration)) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.expected = append(s.expected, expectation{cellKey{participant, exercise}, satisfied, time.Now(), f})
	s.notify()
}

// show takes an event of the room.
func (s *gridView) show(data []byte) error {
	var view struct {
		Participants []struct {
			ID   string
			Work map[string]work
		}
	}
	if err := json.Unmarshal(data, &view); err != nil {
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.work = map[cellKey]work{}
	for _, p := range view.Participants {
		for exercise, w := range p.Work {
			s.work[cellKey{p.ID, exercise}] = w
		}
	}
	s.notify()
	return nil
}

// notify calls and removes the expectations that the page meets now. The caller holds s.mu.
func (s *gridView) notify() {
	s.expected = slices.DeleteFunc(s.expected, func(e expectation) bool {
		met := e.satisfied(s.work[e.cellKey])
		if met {
			e.seen(max(0, time.Since(e.since)))
		}
		return met
	})
}
