package api

import (
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"

	"onthestack/runner/queue"
	"onthestack/runner/settings"
)

// A gatedServer is a server whose tasks, named by the body of a request, are done one at a time, each when the test
// sends to end.
type gatedServer struct {
	*Server
	handler http.Handler
	mu      sync.Mutex
	begun   []string
	end     chan struct{} // one for each task
}

func newGatedServer(t *testing.T, capacity int) *gatedServer {
	d := &gatedServer{Server: idleServer(t, 1, capacity), end: make(chan struct{})}
	d.handler = d.only(d.endpoint(func(r *http.Request) (q queue.Request, err error) {
		body, err := io.ReadAll(r.Body)
		name := string(body)
		if name != "" {
			q.Key = queue.KeyOf(name)
		}
		q.Work = func(context.Context, *queue.Task) (queue.Result, error) {
			d.mu.Lock()
			d.begun = append(d.begun, name)
			d.mu.Unlock()
			<-d.end
			return queue.Result{Value: name, Transient: strings.HasPrefix(name, "transient")}, nil
		}
		return q, err
	}, ""))
	return d
}

// endpoint returns an endpoint for builds.
func (s *Server) endpoint(read func(*http.Request) (queue.Request, error), last string) endpoint {
	return endpoint{Server: s, queue: s.builds, read: read, last: last}
}

// only returns a handler with this endpoint at every path.
func (s *Server) only(e endpoint) http.Handler {
	mux := http.NewServeMux()
	mux.Handle("/", e)
	return s.dispatch(mux)
}

// ask sends a request of the client, and returns a channel for its answer. It returns once the given number of requests
// wait.
func (d *gatedServer) ask(t *testing.T, client, name string, waiting int) <-chan *httptest.ResponseRecorder {
	t.Helper()
	answered := make(chan *httptest.ResponseRecorder, 1)
	go func() {
		r := httptest.NewRequestWithContext(t.Context(), "POST", "/", strings.NewReader(name))
		r.RemoteAddr, r.Host = client+":1234", "localhost"
		w := httptest.NewRecorder()
		d.handler.ServeHTTP(w, r)
		answered <- w
	}()
	waitFor(t, name+" of "+client, func() bool {
		c := d.builds.Counts()
		return c.Working == 1 && c.Waiting == waiting || len(answered) == 1
	})
	return answered
}

// TestQueueIsFairToSharedRequests has a modest client send the job that a greedy client has sent last. The job is done
// once, when the modest client is next.
func TestQueueIsFairToSharedRequests(t *testing.T) {
	const other, greedy, modest = "192.0.2.1", "192.0.2.2", "192.0.2.3"
	d := newGatedServer(t, 3)
	answers := []<-chan *httptest.ResponseRecorder{
		d.ask(t, other, "first", 0), d.ask(t, greedy, "a", 1), d.ask(t, greedy, "b", 2), d.ask(t, greedy, "c", 3),
	}
	shared := d.ask(t, modest, "c", 3)
	waitFor(t, "the request to be shared", func() bool { return d.waiting("c") == 2 })
	// The queue is full. For a new client, the queue refuses the newest request that belongs to the greedy client
	// alone.
	answers = append(answers, d.ask(t, other, "d", 3))
	if w := <-answers[2]; w.Code != http.StatusServiceUnavailable || w.Header().Get("Retry-After") == "" {
		t.Errorf("the greedy client's request got status %d, %v", w.Code, w.Header())
	}
	for range 4 {
		d.end <- struct{}{}
	}
	if w := <-shared; w.Code != http.StatusOK || w.Header().Get("X-Cache") != string(queue.Shared) ||
		w.Body.String() != "\"c\"\n" {
		t.Errorf("the shared request got status %d, %v: %s", w.Code, w.Header(), w.Body)
	}
	for i := range answers {
		if i == 2 {
			continue
		}
		if w := <-answers[i]; w.Code != http.StatusOK || w.Header().Get("X-Cache") != string(queue.Miss) {
			t.Errorf("request %d got status %d, %v", i, w.Code, w.Header())
		}
	}
	if want := []string{"first", "a", "c", "d"}; !slices.Equal(d.begun, want) {
		t.Errorf("done were %q, want %q", d.begun, want)
	}
}

// waiting returns how many requests wait for the task.
func (d *gatedServer) waiting(name string) int {
	return d.builds.Requests(queue.KeyOf(name))
}

func TestTransientAnswersAreNotCached(t *testing.T) {
	d := newGatedServer(t, 3)
	for _, c := range []struct{ name, want string }{{"stable", "miss"}, {"stable", "hit"}, {"transient", "miss"},
		{"transient", "miss"}, {"", ""}, {"", ""}} {
		answered := d.ask(t, "192.0.2.1", c.name, 0)
		if c.want != "hit" {
			d.end <- struct{}{}
		}
		if w := <-answered; w.Code != http.StatusOK || w.Header().Get("X-Cache") != c.want {
			t.Errorf("%q got status %d, %v; want %q", c.name, w.Code, w.Header(), c.want)
		}
	}
}

// TestEqualRequestsBuildOnce has a hundred clients check the same solution at the same time, with a small queue. Its
// tests fail, so that nothing is measured, and run in a confined process if possible, so that the race detector does not
// slow down their compilation.
func TestEqualRequestsBuildOnce(t *testing.T) {
	set := testSettings(1, 1)
	set.Engine = settings.EngineAuto
	s := startedServer(t, set).prepared(t, "fmt")
	ts := startServer(t, s.handler())
	files := map[string]string{"stream.go": insideReplace("\tpanic(\"no\")\n")}
	var all sync.WaitGroup
	answers := make(chan answer, 100)
	for range cap(answers) {
		all.Go(func() { answers <- postCheckTo(t, ts.URL, "exercise6", files) })
	}
	all.Wait()
	close(answers)
	first, outcomes := "", map[string]int{}
	for a := range answers {
		if first == "" {
			first = a.body
		}
		if a.status != http.StatusOK || a.body != first {
			t.Errorf("status %d: %s", a.status, a.body)
		}
		outcomes[a.header.Get("X-Cache")]++
	}
	after := scrape(t, ts.URL)
	if n := after[`runner_builds_total{outcome="ok"}`]; n != 1 || after["runner_build_duration_seconds"] != 1 {
		t.Errorf("%v builds, of which %v succeeded", after["runner_build_duration_seconds"], n)
	}
	if outcomes["miss"] != 1 || outcomes["miss"]+outcomes["shared"]+outcomes["hit"] != 100 || outcomes["shared"] < 50 {
		t.Errorf("the answers were %v", outcomes)
	}
}
