package api

import (
	"bufio"
	"compress/gzip"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"
	"unicode/utf8"

	"onthestack/internal/verdict"
	"onthestack/runner/clients"
	"onthestack/runner/queue"
	"onthestack/runner/request"
)

// An event is one server-sent event.
type event struct{ name, data string }

// readEvents reads a stream as a browser does: https://html.spec.whatwg.org/multipage/server-sent-events.html
func readEvents(in io.Reader) (events []event, comments int, err error) {
	text, err := io.ReadAll(in)
	var now event
	data := false
	lines := strings.Split(strings.NewReplacer("\r\n", "\n", "\r", "\n").Replace(string(text)), "\n")
	for _, line := range lines[:len(lines)-1] {
		field, value, _ := strings.Cut(line, ":")
		value = strings.TrimPrefix(value, " ")
		switch {
		case line == "":
			if data {
				now.data = strings.TrimSuffix(now.data, "\n")
				events = append(events, now)
			}
			now, data = event{}, false
		case field == "":
			comments++
		case field == "event":
			now.name = value
		case field == "data":
			now.data += value + "\n"
			data = true
		}
	}
	return events, comments, err
}

// openStream sends a request for a stream, with these headers, and returns when the stream has begun or there is none.
func openStream(t *testing.T, address, body string, headers ...string) *http.Response {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), "POST", address, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Accept", "text/event-stream")
	for header := range slices.Chunk(headers, 2) {
		r.Header.Set(header[0], header[1])
	}
	reply, err := client.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	return reply
}

// follow returns the events of a stream, and the response.
func follow(t *testing.T, address, body string, headers ...string) ([]event, *http.Response) {
	t.Helper()
	reply := openStream(t, address, body, headers...)
	defer reply.Body.Close()
	events, _, err := readEvents(reply.Body)
	if err != nil {
		t.Error(err)
	}
	return events, reply
}

func names(events []event) string {
	var all []string
	for _, e := range events {
		name := e.name
		if name == queue.EventStage {
			name = e.data
		}
		all = append(all, name)
	}
	return strings.Join(all, " ")
}

const threeStages = `{"stage":"policy"} {"stage":"build"} {"stage":"tests"} `

func TestCheckStream(t *testing.T) {
	e := sealedExercises().Lookup("exercise6")
	request := func(files map[string]string) string {
		body, err := json.Marshal(checkRequest{e.ID, files})
		if err != nil {
			t.Fatal(err)
		}
		return string(body)
	}
	starter := string(e.Files["stream.go"])
	alone := func(text string) map[string]string { return map[string]string{"stream.go": text} }
	// The first two are the requests of TestCheckStarterAndSolution, so that each is worked on once.
	for _, c := range []struct {
		name  string
		files map[string]string
		want  string
	}{
		{"starter", alone(starter), threeStages + "verdict"},
		{"solution", solutionWithMore(e), threeStages + `{"stage":"benchmark"} verdict`},
		{"policy", alone(starter + "\nfunc init() {}\n"), "verdict"},
		{"build", alone(strings.Replace(starter, "len(find) == 0 {\n", "len(find) == 0 {\n\t\tunused := 1\n", 1)),
			`{"stage":"policy"} verdict`},
	} {
		for _, status := range []queue.CacheStatus{queue.Miss, queue.Hit} {
			events, reply := follow(t, base+"/check", request(c.files))
			if got := names(events); reply.StatusCode != http.StatusOK || got != c.want {
				t.Fatalf("%s, %s: status %d, events %s; want %s", c.name, status, reply.StatusCode, got, c.want)
			}
			for header, want := range map[string]string{
				"Content-Type": "text/event-stream", "Cache-Control": "no-store", "X-Accel-Buffering": "no",
				"Vary": "Origin, Accept", "Access-Control-Allow-Origin": "",
			} {
				if got := strings.Join(reply.Header.Values(header), ", "); got != want {
					t.Errorf("%s: %s: %q", c.name, header, got)
				}
			}
			// The plain answer is the same, to the byte, and is cached now.
			plain := send(t, "POST", "/check", "application/json", request(c.files))
			if last := events[len(events)-1].data; plain.body != last+"\n" || plain.header.Get("X-Cache") != "hit" {
				t.Errorf("%s: the stream ends with\n%s\nthe plain answer (%s) is\n%s", c.name, last,
					plain.header.Get("X-Cache"), plain.body)
			}
			var v verdict.Verdict
			if err := json.Unmarshal([]byte(plain.body), &v); err != nil || v.Pass != (c.name == "solution") {
				t.Errorf("%s: pass %v, error %v", c.name, v.Pass, err)
			}
		}
	}
	// An error before the stream begins has its own status.
	events, reply := follow(t, base+"/check", `{"exercise":"exercise99"}`)
	if reply.StatusCode != http.StatusNotFound || reply.Header.Get("Content-Type") != "application/json" ||
		events != nil {
		t.Errorf("status %d, %v, events %v", reply.StatusCode, reply.Header, events)
	}
}

// streamServer starts a server that streams one task, whose key is the body of the request, and returns its address.
func streamServer(
	t *testing.T,
	s *Server,
	do func(ctx context.Context, body string, task *queue.Task) (queue.Result, error),
) string {
	t.Helper()
	ts := startServer(t, s.only(s.endpoint(func(r *http.Request) (queue.Request, error) {
		body, err := io.ReadAll(r.Body)
		work := func(ctx context.Context, task *queue.Task) (queue.Result, error) { return do(ctx, string(body), task) }
		return queue.Request{Key: queue.KeyOf(string(body)), Work: work}, err
	}, "done")))
	t.Cleanup(ts.Close)
	return ts.URL
}

func TestStreamTellsThatItWaits(t *testing.T) {
	s := idleServer(t, 1, 1)
	s.keepAlive = 20 * time.Millisecond
	begun, end := make(chan struct{}), make(chan struct{})
	address := streamServer(t, s, func(ctx context.Context, body string, task *queue.Task) (queue.Result, error) {
		if body == "first" {
			close(begun)
			<-end
		}
		task.Tell(queue.Stage("one"))
		return queue.Result{Value: body}, nil
	})
	first := make(chan []event)
	go func() {
		events, _ := follow(t, address, "first")
		first <- events
	}()
	<-begun
	second := make(chan []event)
	go func() {
		events, _ := follow(t, address, "second")
		second <- events
	}()
	waitFor(t, "the second to wait", func() bool { return s.builds.Counts().Waiting == 1 })
	// The queue has no room for a third request, whose stream has not begun.
	if events, reply := follow(t, address, "third"); reply.StatusCode != http.StatusServiceUnavailable ||
		reply.Header.Get("Retry-After") == "" || events != nil {
		t.Errorf("the third: status %d, %v", reply.StatusCode, events)
	}
	close(end)
	if got := <-first; !slices.Equal(got, []event{{"stage", `{"stage":"one"}`}, {"done", `"first"`}}) {
		t.Errorf("the first was told %q", got)
	}
	if got := <-second; !slices.Equal(got, []event{{"queued", `{"position":1}`}, {"stage", `{"stage":"one"}`},
		{"done", `"second"`}}) {
		t.Errorf("the second was told %q", got)
	}
	// The cached answer does not replay the time in the queue.
	if got, _ := follow(t, address, "second"); !slices.Equal(got, []event{{"stage", `{"stage":"one"}`},
		{"done", `"second"`}}) {
		t.Errorf("the second was told again %q", got)
	}
}

func TestStreamEndsWithAnError(t *testing.T) {
	s := idleServer(t, 1, 1)
	address := streamServer(t, s, func(ctx context.Context, body string, task *queue.Task) (queue.Result, error) {
		task.Tell(queue.Stage("one"))
		switch body {
		case "refused":
			return queue.Result{}, request.Refuse(http.StatusTeapot, "two\nlines")
		case "full":
			return queue.Result{}, fmt.Errorf("wrapped: %w", &queue.Full{RetryAfter: 7 * time.Second})
		}
		return queue.Result{}, errors.New("secret")
	})
	for body, want := range map[string]event{
		"refused": {"error", `{"error":"two\nlines"}`},
		"broken":  {"error", `{"error":"the runner could not do this; its log says why"}`},
		"full":    {"busy", `{"seconds":7,"error":"too many requests are waiting: try again in 7 s"}`},
	} {
		if got, _ := follow(t, address, body); !slices.Equal(got, []event{{"stage", `{"stage":"one"}`}, want}) {
			t.Errorf("%s: %q", body, got)
		}
	}
}

// TestStreamLosesItsPlace has a greedy client fill the queue with checks. When another client comes, the stream of
// the last check reports that the server is busy, and when to try again. Sent again, it is answered.
func TestStreamLosesItsPlace(t *testing.T) {
	const greedy, modest = "192.0.2.1", "192.0.2.2"
	s := idleServer(t, 1, 2)
	s.settings.Proxies = clients.Proxies{netip.MustParsePrefix("127.0.0.1/32")}
	ts := startServer(t, s.handler())
	leave := holdSlot(t, s, "192.0.2.3")
	defer leave()
	check := func(client, text string) <-chan []event {
		told := make(chan []event, 1)
		go func() {
			// A solution that violates the policy is answered without a build.
			body := `{"exercise":"exercise6","files":{"stream.go":"package stream; func init() {} // ` + text + `"}}`
			events, _ := follow(t, ts.URL+"/check", body, "X-Forwarded-For", client)
			told <- events
		}()
		return told
	}
	wait := func(n int) {
		waitFor(t, "requests to wait", func() bool { return s.builds.Counts().Waiting == n })
	}
	first := check(greedy, "a")
	wait(1)
	second := check(greedy, "b")
	wait(2)
	other := check(modest, "c")
	got := <-second
	if names(got) != "queued busy" {
		t.Fatalf("the greedy client's newest request was told %q", got)
	}
	var busy busyAnswer
	if err := json.Unmarshal([]byte(got[1].data), &busy); err != nil {
		t.Fatal(err)
	}
	seconds, err := busy.Seconds.Int64()
	if want := fmt.Sprintf("too many requests are waiting: try again in %d s", seconds); err != nil || seconds < 1 ||
		seconds > 30 || busy.Error != want {
		t.Errorf("it was told %s", got[1].data)
	}
	leave()
	for who, told := range map[string]<-chan []event{"the first": first, "the modest one": other} {
		if got := <-told; names(got) != "queued verdict" {
			t.Errorf("%s was told %q", who, got)
		}
	}
	if got := <-check(greedy, "b"); names(got) != "verdict" {
		t.Errorf("the greedy client's newest request, sent again, was told %q", got)
	}
}

// TestStreamIsBusyAfterAComment tests a stream that is refused after a keep-alive comment and no event.
func TestStreamIsBusyAfterAComment(t *testing.T) {
	s := idleServer(t, 1, 1)
	s.keepAlive = 10 * time.Millisecond
	end := make(chan struct{})
	address := streamServer(t, s, func(context.Context, string, *queue.Task) (queue.Result, error) {
		<-end
		return queue.Result{}, &queue.Full{RetryAfter: time.Second}
	})
	reply := openStream(t, address, "x")
	defer reply.Body.Close()
	close(end)
	events, comments, err := readEvents(reply.Body)
	want := []event{{"busy", `{"seconds":1,"error":"too many requests are waiting: try again in 1 s"}`}}
	if err != nil || comments == 0 || !slices.Equal(events, want) {
		t.Errorf("%d comments, events %q, error %v", comments, events, err)
	}
}

// TestStreamOfAServerThatStops stops a server while requests are under way. Each answer, streamed or not, says when
// to try again.
func TestStreamOfAServerThatStops(t *testing.T) {
	s := idleServer(t, 3, 0)
	read := func(r *http.Request) (queue.Request, error) {
		body, err := io.ReadAll(r.Body)
		work := func(ctx context.Context, task *queue.Task) (queue.Result, error) {
			if string(body) == "begun" {
				task.Tell(queue.Stage("one"))
			}
			<-ctx.Done()
			return queue.Result{}, ctx.Err()
		}
		return queue.Request{Key: queue.KeyOf(string(body)), Work: work}, err
	}
	work, stop := context.WithCancelCause(t.Context())
	ts := httptest.NewUnstartedServer(s.only(s.endpoint(read, "done")))
	ts.Config.BaseContext = func(net.Listener) context.Context { return work }
	ts.Start()
	defer ts.Close()

	const stopping = "the runner is stopping: try again in " + retryStopping + " s"
	var asked sync.WaitGroup
	asked.Go(func() {
		a := send(t, "POST", ts.URL, "", "plain")
		wantError(t, a, http.StatusServiceUnavailable, stopping)
		if got := a.header.Get("Retry-After"); got != retryStopping {
			t.Errorf("the plain answer: Retry-After: %q", got)
		}
	})
	asked.Go(func() {
		events, reply := follow(t, ts.URL, "not begun")
		if got := reply.Header.Get("Retry-After"); reply.StatusCode != http.StatusServiceUnavailable ||
			got != retryStopping || events != nil {
			t.Errorf("the stream that had not begun: status %d, Retry-After %q, events %q", reply.StatusCode, got,
				events)
		}
	})
	begun := openStream(t, ts.URL, "begun")
	defer begun.Body.Close()
	waitFor(t, "all to be under way", func() bool { return s.builds.Counts().Working == 3 })
	stop(errStopping)
	asked.Wait()
	events, _, err := readEvents(begun.Body)
	want := []event{{"stage", `{"stage":"one"}`}, {"busy", `{"seconds":` + retryStopping + `,"error":"` + stopping +
		`"}`}}
	if err != nil || !slices.Equal(events, want) {
		t.Errorf("the stream that had begun got %q, error %v", events, err)
	}
}

// TestStreamIsKeptAlive reads each comment as it is sent, and then disconnects, which ends the work.
func TestStreamIsKeptAlive(t *testing.T) {
	s := idleServer(t, 1, 1)
	s.keepAlive = 10 * time.Millisecond
	ended := make(chan struct{})
	address := streamServer(t, s, func(ctx context.Context, body string, task *queue.Task) (queue.Result, error) {
		<-ctx.Done()
		close(ended)
		return queue.Result{}, context.Cause(ctx)
	})
	reply := openStream(t, address, "x")
	lines := bufio.NewScanner(reply.Body)
	for range 3 {
		if !lines.Scan() || !strings.HasPrefix(lines.Text(), ":") || !lines.Scan() || lines.Text() != "" {
			t.Fatalf("read %q, error %v", lines.Text(), lines.Err())
		}
	}
	reply.Body.Close()
	<-ended
}

// TestStreamCompressed reads an event from a compressed stream while the work goes on.
func TestStreamCompressed(t *testing.T) {
	s := idleServer(t, 1, 1)
	read := make(chan struct{})
	e := s.endpoint(func(r *http.Request) (queue.Request, error) {
		if recordOf(r).client == "" {
			t.Error("the request has no client")
		}
		return queue.Request{Work: func(ctx context.Context, task *queue.Task) (queue.Result, error) {
			task.Tell(queue.Event{Name: queue.EventPicture, Data: strings.Repeat("x", 5000)})
			select {
			case <-read:
				return queue.Result{Value: "done"}, nil
			case <-ctx.Done():
				return queue.Result{}, context.Cause(ctx)
			}
		}}, nil
	}, "last")
	e.compressed = true
	ts := startServer(t, s.only(e))
	defer ts.Close()
	reply := openStream(t, ts.URL, "x", "Accept-Encoding", "gzip")
	defer reply.Body.Close()
	if coding := reply.Header.Get("Content-Encoding"); coding != "gzip" {
		t.Fatalf("Content-Encoding %q", coding)
	}
	unpacked, err := gzip.NewReader(reply.Body)
	if err != nil {
		t.Fatal(err)
	}
	lines := bufio.NewScanner(unpacked)
	for lines.Scan() && lines.Text() != "" {
	}
	close(read)
	if events, _, err := readEvents(unpacked); lines.Err() != nil || err != nil || names(events) != "last" {
		t.Errorf("%v, %v, events %v", lines.Err(), err, events)
	}
}

func TestWantsEvents(t *testing.T) {
	for accept, want := range map[string]bool{
		"": false, "*/*": false, "application/json": false, "text/event-stream": true, "Text/Event-Stream;q=0.9": true,
		"text/event-stream, application/json": true, "application/json, text/event-stream": false,
		"application/json|text/event-stream": false,
	} {
		if got := wantsEvents(strings.Split(accept, "|")); got != want {
			t.Errorf("%q: %v", accept, got)
		}
	}
}

// FuzzEvent tests that an encoded event is read as one event with the same name and data.
func FuzzEvent(f *testing.F) {
	f.Add("stage", `{"stage":"policy"}`)
	f.Add("", "")
	f.Add("a\nb: c", "one\n\ntwo\r\nthree\rfour\n")
	f.Add(":", " data: x\n: no comment\n\nevent: none\ndata:")
	f.Add("x", "\xff\x00\u2028")
	f.Fuzz(func(t *testing.T, name, data string) {
		w := httptest.NewRecorder()
		stream := request.Stream{W: w, Broken: func(err error) { t.Error(err) }}
		stream.Send("", name, data)
		text := w.Body.String()
		if !utf8.ValidString(text) {
			t.Fatalf("%q", text)
		}
		events, comments, err := readEvents(strings.NewReader(text))
		lines := func(s string) string {
			return strings.ToValidUTF8(strings.ReplaceAll(strings.ReplaceAll(s, "\r\n", "\n"), "\r", "\n"), "\uFFFD")
		}
		wantName, _, _ := strings.Cut(lines(name), "\n")
		if err != nil || comments != 0 || len(events) != 1 || events[0] != (event{wantName, lines(data)}) {
			t.Errorf("%q with %q is read as %q, with %d comments, error %v", name, data, events, comments, err)
		}
	})
}
