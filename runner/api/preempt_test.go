package api

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/netip"
	"net/url"
	"strings"
	"sync"
	"testing"

	"onthestack/runner/clients"
	"onthestack/runner/queue"
)

// slotServer returns a server that identifies clients by X-Forwarded-For, and in which no time limit ends a program.
func slotServer(t *testing.T, concurrency, queue int) (*Server, string) {
	s := idleServer(t, concurrency, queue).prepared(t, "fmt")
	close(s.warming.ended)
	s.settings.Proxies = clients.Proxies{netip.MustParsePrefix("127.0.0.1/32")}
	s.settings.Program.Time, s.settings.Check.Time = outOfReach, outOfReach
	return s, startServer(t, s.handler()).URL
}

// holdSlot waits for a slot for the client, and returns a function that frees it.
func holdSlot(t *testing.T, s *Server, client string) (leave func()) {
	t.Helper()
	held, end, left := make(chan struct{}), make(chan struct{}), make(chan struct{})
	go func() {
		defer close(left)
		s.builds.Do(t.Context(), &queue.Request{Client: client,
			Work: func(ctx context.Context, _ *queue.Task) (queue.Result, error) {
				close(held)
				select {
				case <-end:
				case <-ctx.Done():
				}
				return queue.Result{}, nil
			}})
	}()
	select {
	case <-held:
	case <-left:
		t.Fatal("the queue refused the request")
	}
	return sync.OnceFunc(func() {
		close(end)
		<-left
	})
}

// progress returns what builds and runs outside the queue.
func (s *Server) progress() *progress {
	_, timer, _ := withRequestTime(context.Background(), outOfReach)
	return newProgress(s, s.tools.toolchain, new(queue.Task), timer)
}

// sendFrom sends a request of a client. It returns nil if ctx ends before the answer.
func sendFrom(t *testing.T, ctx context.Context, who, address, contentType, body string) *answer {
	r, err := http.NewRequestWithContext(ctx, "POST", address, strings.NewReader(body))
	if err != nil {
		t.Error(err)
		return nil
	}
	r.Header.Set("Content-Type", contentType)
	r.Header.Set("X-Forwarded-For", who)
	reply, err := client.Do(r)
	if err != nil {
		if ctx.Err() == nil {
			t.Error(err)
		}
		return nil
	}
	defer reply.Body.Close()
	text, err := io.ReadAll(reply.Body)
	if err != nil && ctx.Err() == nil {
		t.Error(err)
	}
	return &answer{reply.StatusCode, reply.Header, string(text)}
}

// endlessCheck returns a request for /check whose tests never end.
func endlessCheck(t *testing.T, n int) string {
	t.Helper()
	e := sealedExercises().Lookup("exercise6")
	solution := string(e.Solution["stream.go"])
	const signature = "func Replace("
	head, rest, ok := strings.Cut(solution, signature)
	open := strings.Index(rest, "{\n")
	if !ok || open < 0 {
		t.Fatalf("there is no %s in\n%s", signature, solution)
	}
	text := head + signature + rest[:open] + fmt.Sprintf("{\n\tfor i := %d; i > 0; {\n\t}\n", n+1) + rest[open+2:]
	body, err := json.Marshal(checkRequest{e.ID, map[string]string{"stream.go": text}})
	if err != nil {
		t.Fatal(err)
	}
	return string(body)
}

// TestProofAnotherClientIsAnswered has one client send more endless requests than there are slots. The programs of
// another client still run, and the endless requests are neither refused nor answered meanwhile.
func TestProofAnotherClientIsAnswered(t *testing.T) {
	const hog, other = "192.0.2.1", "192.0.2.2"
	loop := func(_ *testing.T, n int) string {
		return url.Values{"body": {fmt.Sprintf("package main\n\nvar n = %d\n\nfunc main() {\n\tfor {\n\t\tn++\n"+
			"\t}\n}\n", n)}}.Encode()
	}
	for _, c := range []struct {
		slots             int
		path, contentType string
		body              func(*testing.T, int) string
	}{
		{1, "/compile", formType, loop},
		{2, "/check", "application/json", endlessCheck},
	} {
		t.Run(fmt.Sprintf("%s with %d slots", c.path, c.slots), func(t *testing.T) {
			s, address := slotServer(t, c.slots, 20)
			ctx, hangUp := context.WithCancel(t.Context())
			defer hangUp()
			var all sync.WaitGroup
			for n := range 6 {
				body := c.body(t, n)
				all.Go(func() {
					if a := sendFrom(t, ctx, hog, address+c.path, c.contentType, body); a != nil {
						t.Errorf("an endless request got status %d: %s", a.status, a.body)
					}
				})
			}
			waitFor(t, "the hog to hold every slot", func() bool {
				now := s.builds.Counts()
				return now.Working == c.slots && now.Waiting == 6-c.slots
			})
			for range 2 {
				a := sendFrom(t, t.Context(), other, address+"/compile", formType,
					url.Values{"body": {anotherHello()}}.Encode())
				if a == nil || a.status != http.StatusOK || !strings.Contains(a.body, `"Message":"Hello `) {
					t.Fatalf("another client got %+v", a)
				}
			}
			if n := scrape(t, address)[`runner_queue_preempted_total{queue="work"}`]; n < 1 {
				t.Errorf("runner_queue_preempted_total is %v", n)
			}
			hangUp()
			all.Wait()
			waitFor(t, "the work to end", func() bool {
				now := s.builds.Counts()
				return now.Working == 0 &&
					now.Waiting == 0
			})
			after := scrape(t, address)
			for _, name := range []string{`runner_runs_total{outcome="error"}`,
				`runner_builds_total{outcome="error"}`} {
				if after[name] != 0 {
					t.Errorf("%s is %v: a preempted request is not a failure of the server", name, after[name])
				}
			}
		})
	}
}

// TestPreemptedStream follows a check that loses its slot after its first stage: the stream reports that the check
// waits again, and then the stages of the second attempt. The cached answer replays these stages once.
func TestPreemptedStream(t *testing.T) {
	s := idleServer(t, 1, 10)
	times := 0
	address := streamServer(t, s, func(ctx context.Context, _ string, task *queue.Task) (queue.Result, error) {
		times++
		task.Tell(queue.Stage("one"))
		if times == 1 {
			<-ctx.Done()
			return queue.Result{}, fmt.Errorf("build: %w", context.Cause(ctx))
		}
		task.Tell(queue.Stage("two"))
		return queue.Result{Value: "done"}, nil
	})
	told := make(chan []event)
	go func() {
		events, _ := follow(t, address, "x")
		told <- events
	}()
	waitFor(t, "the work to begin", func() bool { return s.builds.Counts().Working == 1 })
	holdSlot(t, s, "192.0.2.2")()
	if got, want := names(<-told), `{"stage":"one"} queued {"stage":"one"} {"stage":"two"} done`; got != want {
		t.Errorf("the stream tells %s, want %s", got, want)
	}
	events, _ := follow(t, address, "x")
	if got, want := names(events), `{"stage":"one"} {"stage":"two"} done`; got != want {
		t.Errorf("the cached answer has %s, want %s", got, want)
	}
}
