package api

import (
	"context"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"onthestack/runner/queue"
	"onthestack/runner/settings"
)

// idleServer returns a server that does not compile the standard library.
func idleServer(t *testing.T, concurrency, queue int) *Server {
	t.Helper()
	return startedServer(t, testSettings(concurrency, queue))
}

// startedServer returns a server with these settings.
func startedServer(t *testing.T, set settings.Settings) *Server {
	t.Helper()
	s, err := New(set, sealedExercises(), nil, slog.New(slog.NewTextHandler(io.Discard, nil)))
	if err != nil {
		t.Fatal(err)
	}
	close(s.warming.ready)
	t.Cleanup(func() {
		s.wait()
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	return s
}

// prepared compiles what programs with these imports need, and returns the server. Without that, the first build takes
// some seconds of processor time.
func (s *Server) prepared(t *testing.T, imports ...string) *Server {
	t.Helper()
	if err := s.tools.isolated.Prepare(t.Context(), imports...); err != nil {
		t.Fatal(err)
	}
	return s
}

const pauseTime = 400 * time.Millisecond

// pause is work that takes pauseTime.
func pause(ctx context.Context, _ *queue.Task) (queue.Result, error) {
	select {
	case <-time.After(pauseTime):
		return queue.Result{Value: "done"}, nil
	case <-ctx.Done():
		return queue.Result{}, context.Cause(ctx)
	}
}

func TestFullQueueRefuses(t *testing.T) {
	s := idleServer(t, 1, 1)
	begun := make(chan struct{}, 3)
	end := make(chan struct{})
	release := sync.OnceFunc(func() { close(end) })
	ts := startServer(t, s.endpoint(func(*http.Request) (queue.Request, error) {
		return queue.Request{Work: func(context.Context, *queue.Task) (queue.Result, error) {
			begun <- struct{}{}
			<-end
			return queue.Result{Value: "done"}, nil
		}}, nil
	}, ""))
	defer release()
	statuses := make(chan int, 2)
	post := func() { statuses <- send(t, "POST", ts.URL, "", "").status }
	go post()
	<-begun
	go post()
	waitFor(t, "the second request to wait", func() bool { return s.builds.Counts().Waiting == 1 })

	a := send(t, "POST", ts.URL, "", "")
	wantError(t, a, http.StatusServiceUnavailable, "too many requests are waiting: try again in ")
	if n, err := strconv.Atoi(a.header.Get("Retry-After")); err != nil || n < 1 || n > 30 {
		t.Errorf("Retry-After: %q", a.header.Get("Retry-After"))
	}
	release()
	for range 2 {
		if status := <-statuses; status != http.StatusOK {
			t.Errorf("a request that was in the queue got status %d", status)
		}
	}
	if a := send(t, "POST", ts.URL, "", ""); a.status != http.StatusOK {
		t.Errorf("afterwards: status %d", a.status)
	}
}

// TestDisconnectEndsTheWork has a client leave while its program, which never ends, is running.
func TestDisconnectEndsTheWork(t *testing.T) {
	s := idleServer(t, 1, 0)
	s.settings.Program.Time = outOfReach // nothing else ends it
	ts := startServer(t, s.handler())
	before := takeStock(t)
	ctx, cancel := context.WithCancel(t.Context())
	left := make(chan struct{})
	go func() {
		defer close(left)
		body := strings.NewReader("body=package+main%0Afunc+main(){for{}}")
		r, err := http.NewRequestWithContext(ctx, "POST", ts.URL+"/compile", body)
		if err != nil {
			t.Error(err)
			return
		}
		r.Header.Set("Content-Type", formType)
		if reply, err := client.Do(r); err == nil {
			reply.Body.Close()
			t.Errorf("answered %d before the client left", reply.StatusCode)
		}
	}()
	waitFor(t, "the build to begin", func() bool { return len(leftFolders(t)) > 0 })
	cancel()
	<-left
	waitFor(t, "the work to end", func() bool { return s.builds.Counts().Working == 0 })
	before.compare(t)
}

// startServer serves until the test ends. A test that fails may leave requests under way, for which Close would wait,
// so their connections are closed first.
func startServer(t *testing.T, handler http.Handler) *httptest.Server {
	ts := httptest.NewServer(handler)
	t.Cleanup(func() {
		ts.CloseClientConnections()
		ts.Close()
	})
	return ts
}

func waitFor(t testing.TB, what string, done func() bool) {
	t.Helper()
	for deadline := time.Now().Add(2 * time.Minute); !done(); time.Sleep(5 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("waited in vain for %s", what)
		}
	}
}
