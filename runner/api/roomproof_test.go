package api

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/nats-io/nats-server/v2/server"
)

// A classroom is a room of a runner that may be killed and started again.
type classroom struct {
	t          *testing.T
	mu         sync.Mutex
	at         string // "http://127.0.0.1:41234"
	instructor string
	code       string
}

func (c *classroom) url(path string) string {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.at + "/api/rooms" + path
}

func (c *classroom) moved(at string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.at = at
}

// ask sends a request, as often as it takes to get an answer that is not the server's own failure, and decodes it.
func (c *classroom) ask(method, path, token, key string, body any, answer any) error {
	text, err := json.Marshal(body)
	if err != nil {
		return err
	}
	for end := time.Now().Add(3 * time.Minute); ; time.Sleep(50 * time.Millisecond) {
		request, err := http.NewRequestWithContext(c.t.Context(), method, c.url(path), bytes.NewReader(text))
		if err != nil {
			return err
		}
		request.Header.Set("Authorization", "Bearer "+token)
		request.Header.Set("Idempotency-Key", key)
		response, err := client.Do(request)
		switch {
		case err != nil: // the runner is being started again
		case response.StatusCode < 300:
			defer response.Body.Close()
			return json.NewDecoder(response.Body).Decode(answer)
		default:
			response.Body.Close()
			if response.StatusCode < 500 && response.StatusCode != http.StatusTooManyRequests {
				return fmt.Errorf("%s %s: status %d", method, path, response.StatusCode)
			}
		}
		if time.Now().After(end) {
			return fmt.Errorf("%s %s: no answer: %v", method, path, err)
		}
	}
}

// begin opens a room.
func (c *classroom) begin(state string) {
	c.t.Helper()
	text, err := os.ReadFile(filepath.Join(state, tokenFile))
	if err != nil {
		c.t.Fatal(err)
	}
	c.instructor = strings.TrimSpace(string(text))
	var room struct{ Room string }
	err = c.ask("POST", "", c.instructor, "", map[string]any{"title": "Monday", "exercises": []string{"exercise6"}},
		&room)
	if err != nil {
		c.t.Fatal(err)
	}
	c.code = room.Room
}

// A handed is a submission that was acknowledged.
type handed struct {
	token, id string
	pass      bool
}

// hand has participants hand in, each the starter and the solution, in versions of their own. acknowledged is called
// after each.
func (c *classroom) hand(participants int, acknowledged func(n int)) (all []handed) {
	c.t.Helper()
	e := sealedExercises().Lookup("exercise6")
	var mu sync.Mutex
	var class sync.WaitGroup
	for p := range participants {
		class.Go(func() {
			var joined struct{ Token string }
			named := map[string]string{"name": fmt.Sprint("Ada ", p)}
			if err := c.ask("POST", "/"+c.code+"/join", "", "", named, &joined); err != nil {
				c.t.Error(err)
				return
			}
			for i, files := range []map[string][]byte{e.Starter(), e.Solution} {
				texts := map[string]string{}
				for name, text := range files {
					texts[name] = fmt.Sprintf("%s\n// %d\n", text, p)
				}
				var submitted struct{ ID string }
				err := c.ask("POST", "/"+c.code+"/submissions", joined.Token, fmt.Sprint("key", i),
					map[string]any{"exercise": "exercise6", "files": texts}, &submitted)
				if err != nil {
					c.t.Error(err)
					return
				}
				mu.Lock()
				all = append(all, handed{joined.Token, submitted.ID, i == 1})
				acknowledged(len(all))
				mu.Unlock()
			}
		})
	}
	class.Wait()
	return all
}

// graded waits until every submission is graded, and compares the verdicts. None is there twice: the gradebook has as
// many attempts as were acknowledged.
func (c *classroom) graded(all []handed) {
	c.t.Helper()
	for _, h := range all {
		var s struct {
			State   string
			Verdict struct {
				Pass   bool
				Stage  string
				Errors []struct{ Message string }
				Tests  struct{ Output string }
			}
		}
		for s.State != "graded" && s.State != "failed" {
			if err := c.ask("GET", "/"+c.code+"/submissions/"+h.id, h.token, "", nil, &s); err != nil {
				c.t.Error(err)
				return
			}
			time.Sleep(50 * time.Millisecond)
		}
		if s.State != "graded" || s.Verdict.Pass != h.pass {
			c.t.Errorf("%s: %+v, want pass %t", h.id, s, h.pass)
		}
	}
	var book struct {
		Grades []struct {
			Attempts int
			Passed   bool
		}
	}
	if err := c.ask("GET", "/"+c.code+"/grades.json", c.instructor, "", nil, &book); err != nil {
		c.t.Fatal(err)
	}
	attempts := 0
	for _, row := range book.Grades {
		attempts += row.Attempts
		if !row.Passed {
			c.t.Errorf("%+v", row)
		}
	}
	if attempts != len(all) {
		c.t.Errorf("the gradebook has %d attempts, %d were acknowledged", attempts, len(all))
	}
}

// TestProofRunnerKilled kills the runner as kill -9 does while a class hands in: no submission that it acknowledged is
// lost.
func TestProofRunnerKilled(t *testing.T) {
	state := t.TempDir()
	start := func() process {
		return startProcess(t, "--addr", "127.0.0.1:0", "--room", "on", "--state", state, "--allow-host", "*")
	}
	r := start()
	c := &classroom{t: t, at: r.at}
	c.begin(state)
	kills := make(chan struct{}, 100)
	done := make(chan struct{})
	go func() {
		defer close(done)
		for range kills {
			r.Process.Kill()
			r.Wait()
			r = start()
			c.moved(r.at)
		}
	}()
	all := c.hand(6, func(n int) {
		if n%5 == 0 {
			kills <- struct{}{}
		}
	})
	close(kills)
	<-done
	c.graded(all)
	r.signal(t)
	if err := r.Wait(); err != nil {
		t.Errorf("%v\n%s", err, r.log)
	}
}

// startNATS starts a NATS server, and returns its address with the token that it wants.
func startNATS(t *testing.T) (address string) {
	t.Helper()
	nats, err := server.NewServer(&server.Options{Host: "127.0.0.1", Port: server.RANDOM_PORT, JetStream: true,
		StoreDir: t.TempDir(), Authorization: "hidden-token", NoSigs: true, NoLog: true})
	if err != nil {
		t.Fatal(err)
	}
	nats.Start()
	t.Cleanup(nats.Shutdown)
	if !nats.ReadyForConnections(time.Minute) {
		t.Fatal("the NATS server does not start")
	}
	return "nats://hidden-token@" + strings.TrimPrefix(nats.ClientURL(), "nats://")
}

// TestProofAnyRunner has two runners with the same NATS server. It gives one a submission and a program to share, and
// asks the other for both.
func TestProofAnyRunner(t *testing.T) {
	address := startNATS(t)
	var runners []process
	var states []string
	for range 2 {
		state := t.TempDir()
		states = append(states, state)
		runners = append(runners, startProcess(t, "--addr", "127.0.0.1:0", "--room", "on", "--state", state, "--nats",
			address, "--snippets", "on"))
	}
	one, other := runners[0], runners[1]

	c := &classroom{t: t, at: one.at}
	c.begin(states[0])
	all := c.hand(1, func(int) {})
	c.moved(other.at)
	for _, h := range all {
		// The other runner follows the events of rooms a moment later.
		waitFor(t, "the other runner to know of the submission", func() bool {
			var s struct{ State string }
			return c.ask("GET", "/"+c.code+"/submissions/"+h.id, h.token, "", nil, &s) == nil
		})
	}
	c.moved(one.at)
	c.graded(all)

	const program = "package main\n\nfunc main() { println(1) }\n"
	shared := send(t, "POST", one.at+"/share", "text/plain", program)
	if shared.status != http.StatusOK {
		t.Fatalf("share: status %d: %s", shared.status, shared.body)
	}
	for _, r := range runners {
		if a := send(t, "GET", r.at+"/p/"+shared.body+".go", "", ""); a.body != program {
			t.Errorf("%s: status %d: %q", r.at, a.status, a.body)
		}
		r.signal(t)
		if err := r.Wait(); err != nil {
			t.Errorf("%v\n%s", err, r.log)
		}
	}
}

// TestProofWorkerKilled kills workers as kill -9 does, while a class hands in and checks at a runner that uses them:
// each submission and each check is answered, and nothing secret is printed.
func TestProofWorkerKilled(t *testing.T) {
	address := startNATS(t)
	var logs []*syncBuffer
	startWorker := func() *exec.Cmd {
		w := runnerCommand(t, "worker", "--data", dataDir, "--concurrency", "2")
		w.Env = append(w.Env, "RUNNER_NATS="+address)
		out := new(syncBuffer)
		logs = append(logs, out)
		w.Stdout, w.Stderr = out, out
		if err := w.Start(); err != nil {
			t.Fatal(err)
		}
		waitFor(t, "the worker", func() bool { return out.contains("working for the runners at 127.0.0.1") })
		return w
	}
	state := t.TempDir()
	r := startProcess(t, "--addr", "127.0.0.1:0", "--room", "on", "--state", state, "--concurrency", "1",
		"--nats", address)
	logs = append(logs, r.log)
	c := &classroom{t: t, at: r.at}
	c.begin(state)
	worker := startWorker()
	waitFor(t, "the runner to know of the worker", func() bool { return r.log.contains("slots=2") })

	kill := make(chan struct{}, 1)
	done := make(chan struct{})
	go func() {
		defer close(done)
		<-kill
		worker.Process.Kill()
		worker.Wait()
		worker = startWorker()
	}()
	checks := make(chan answer, 4)
	for i := range cap(checks) {
		go func() {
			checks <- send(t, "POST", r.at+"/check", "application/json",
				fmt.Sprintf(`{"exercise":"exercise6","files":{"stream.go":"package stream // %d"}}`, i))
		}()
	}
	all := c.hand(4, func(n int) {
		if n == 4 {
			kill <- struct{}{}
		}
	})
	<-done
	for range cap(checks) {
		if a := <-checks; a.status != http.StatusOK || !strings.Contains(a.body, `"stage":"build"`) {
			t.Errorf("a check: status %d: %s", a.status, a.body)
		}
	}
	c.graded(all)
	worker.Process.Signal(os.Interrupt)
	if err := worker.Wait(); err != nil {
		t.Errorf("the worker ended with %v", err)
	}
	r.signal(t)
	if err := r.Wait(); err != nil {
		t.Errorf("%v\n%s", err, r.log)
	}
	for _, log := range logs {
		if log.contains("hidden-token") {
			t.Errorf("the token is in the log:\n%s", log)
		}
	}
}
