package store

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go/jetstream"

	"onthestack/runner/room"
)

// The test binary is also the processes that TestProofCluster kills: a NATS server, or a worker. The variable has the
// server's configuration file, or the addresses that the worker uses.
const (
	serverVariable = "JOURNAL_TEST_SERVER"
	workerVariable = "JOURNAL_TEST_WORKER"
)

func report(err error) int {
	fmt.Fprintln(os.Stderr, "ended:", err)
	return 1
}

func runServer(conf string) error {
	options, err := server.ProcessConfigFile(conf)
	if err != nil {
		return err
	}
	s, err := server.NewServer(options)
	if err != nil {
		return err
	}
	s.ConfigureLogger()
	s.Start()
	if !s.ReadyForConnections(time.Minute) {
		return errors.New("not ready")
	}
	fmt.Println("ready")
	s.WaitForShutdown()
	return nil
}

// outcome grades submissions for the workers of the test. It depends on the submission alone.
func outcome(t Task) Graded {
	score := float64(len(t.Submission)%2) / 2
	return Graded{Verdict: fmt.Appendf(nil, "%q", t.Files["a.go"]), Grade: room.Grade{Score: score}}
}

func runWorker(addresses string) error {
	j, err := openWith(context.Background(), Options{URL: addresses, Log: slog.New(slog.NewTextHandler(os.Stderr, nil))})
	if err != nil {
		return err
	}
	fmt.Println("ready")
	return j.Grade(context.Background(), 1, func(_ context.Context, task Task) (Graded, error) {
		return outcome(task), nil
	})
}

// A process is the test binary with one of the variables.
type process struct {
	*exec.Cmd
	name string
	log  string // file
}

// startProcess starts the test binary with a variable, and waits until it is ready.
func startProcess(t *testing.T, name, variable, value string) process {
	t.Helper()
	p := process{exec.CommandContext(t.Context(), os.Args[0]), name, filepath.Join(t.TempDir(), "log")}
	p.Env = append(os.Environ(), variable+"="+value)
	log, err := os.Create(p.log)
	if err != nil {
		t.Fatal(err)
	}
	defer log.Close()
	p.Stderr = log
	out, err := p.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := p.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		p.kill()
		if t.Failed() {
			text, _ := os.ReadFile(p.log)
			t.Logf("%s:\n%s", name, text)
		}
	})
	lines := bufio.NewScanner(out)
	if !lines.Scan() || lines.Text() != "ready" {
		t.Fatalf("%s says %q", name, lines.Text())
	}
	return p
}

// kill ends the process as kill -9 does.
func (p process) kill() {
	p.Process.Kill()
	p.Wait()
}

// A cluster is three NATS servers in processes of their own, which need a token.
type cluster struct {
	t       *testing.T
	urls    string
	confs   []string
	servers []process
}

func startCluster(t *testing.T) *cluster {
	t.Helper()
	dir := t.TempDir()
	ports := freePorts(t, 6)
	c := &cluster{t: t}
	var routes, urls []string
	for i := range 3 {
		urls = append(urls, fmt.Sprintf("nats://secret@127.0.0.1:%d", ports[i]))
		routes = append(routes, fmt.Sprintf("nats://127.0.0.1:%d", ports[3+i]))
	}
	c.urls = strings.Join(urls, ",")
	for i := range 3 {
		conf := filepath.Join(dir, fmt.Sprintf("server%d.conf", i))
		text := fmt.Sprintf("server_name: s%d\nlisten: 127.0.0.1:%d\nauthorization { token: secret }\n"+
			"jetstream { store_dir: %q, sync_interval: always }\ncluster { name: class, listen: \"127.0.0.1:%d\", "+
			"routes: [%s] }\n",
			i, ports[i], filepath.Join(dir, fmt.Sprint(i)), ports[3+i], strings.Join(routes, ", "))
		if err := os.WriteFile(conf, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		c.confs = append(c.confs, conf)
		c.servers = append(c.servers, process{})
	}
	for i := range 3 {
		c.start(i)
	}
	return c
}

// start starts a server, or starts it again.
func (c *cluster) start(i int) {
	c.t.Helper()
	c.servers[i] = startProcess(c.t, fmt.Sprint("server ", i), serverVariable, c.confs[i])
}

func freePorts(t *testing.T, n int) (ports []int) {
	t.Helper()
	for range n {
		l, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		defer l.Close() // all at once, so that they differ
		ports = append(ports, l.Addr().(*net.TCPAddr).Port)
	}
	return ports
}

// A class hands in, and follows what becomes of it.
type class struct {
	t *testing.T
	j *Journal

	mu           sync.Mutex
	changed      chan struct{} // closed and replaced when something below changes
	acknowledged map[string]bool
	room         *room.Room
	done         int // submissions that are graded, or failed
}

func newClass(t *testing.T, j *Journal) *class {
	c := &class{t: t, j: j, changed: make(chan struct{}), acknowledged: map[string]bool{}, room: room.New("K7M2QX")}
	following, stop := context.WithCancel(t.Context())
	var follower sync.WaitGroup
	follower.Go(func() {
		j.Follow(following, func(_ string, sequence uint64, e room.Event) {
			c.change(func() {
				c.room.Apply(sequence, e)
				if e.Kind == room.Graded || e.Kind == room.Failed {
					c.done++
				}
			})
		}, func() {})
	})
	t.Cleanup(func() {
		stop()
		j.Close()
		follower.Wait()
	})
	return c
}

func (c *class) change(f func()) {
	c.mu.Lock()
	defer c.mu.Unlock()
	f()
	close(c.changed)
	c.changed = make(chan struct{})
}

// wait returns once f reports true, or ctx is done. f is called with c.mu locked.
func (c *class) wait(ctx context.Context, f func() bool) bool {
	for {
		c.mu.Lock()
		reached, changed := f(), c.changed
		c.mu.Unlock()
		if reached {
			return true
		}
		select {
		case <-changed:
		case <-ctx.Done():
			return false
		}
	}
}

// maxAhead is how many submissions of a participant wait to be graded, as the HTTP interface bounds them: without a
// bound the class would hand in for as long as a server is away, and wait for the workers ever longer.
const maxAhead = 5

// hand has a participant hand in until ctx is done.
func (c *class) hand(ctx context.Context, participant int) {
	for n := 0; c.wait(ctx, func() bool { return len(c.acknowledged)-c.done < participants*maxAhead }); n++ {
		id := fmt.Sprintf("s%d-%d", participant, n)
		e := room.Event{Kind: room.Submitted, Participant: "p1", Exercise: "exercise6", Submission: id}
		// A page sends it again until it has an answer.
		for {
			_, err := c.j.Append(c.t.Context(), "K7M2QX", id, Record{Event: e, Files: map[string]string{"a.go": id}})
			if err == nil {
				break
			}
			if c.t.Context().Err() != nil {
				return
			}
		}
		c.change(func() { c.acknowledged[id] = true })
	}
}

// participants is how many hand in at the same time.
const participants = 6

// goOn waits until more submissions were acknowledged, and graded, than now.
func (c *class) goOn(after string) {
	c.t.Helper()
	began := time.Now()
	c.mu.Lock()
	acknowledged, done := len(c.acknowledged)+20, c.done+20
	c.mu.Unlock()
	c.until("submissions that are acknowledged and graded", func() bool {
		return len(c.acknowledged) >= acknowledged && c.done >= done
	})
	c.t.Logf("%s, the class has gone on after %v", after, time.Since(began).Round(time.Millisecond))
}

// handsIn returns as soon as one more submission is acknowledged than now.
func (c *class) handsIn() {
	c.t.Helper()
	c.mu.Lock()
	acknowledged := len(c.acknowledged)
	c.mu.Unlock()
	c.until("more submissions that are acknowledged", func() bool { return len(c.acknowledged) > acknowledged })
}

// until is wait with an end, which only a fault reaches.
func (c *class) until(what string, f func() bool) {
	c.t.Helper()
	ctx, cancel := context.WithTimeout(c.t.Context(), 3*time.Minute)
	defer cancel()
	if c.wait(ctx, f) {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.t.Errorf("there are no %s: %d were acknowledged, %d are graded", what, len(c.acknowledged), c.done)
	consumer, err := c.j.stream.Consumer(c.t.Context(), "graders")
	if err != nil {
		c.t.Fatal(err)
	}
	info := consumer.CachedInfo()
	c.t.Fatalf("consumer: %+v of %+v", *info, info.Cluster)
}

// whole waits until each server has everything: the stream, the verdicts, the code of checks, and what the workers have
// taken.
func (c *cluster) whole(j *Journal) {
	c.t.Helper()
	current := func(info *jetstream.ClusterInfo) bool {
		if info == nil || info.Leader == "" || len(info.Replicas) != replicas-1 {
			return false
		}
		for _, peer := range info.Replicas {
			if !peer.Current || peer.Offline {
				return false
			}
		}
		return true
	}
	end := time.Now().Add(3 * time.Minute)
	for ; ; time.Sleep(50 * time.Millisecond) {
		info, err := j.stream.Info(c.t.Context())
		if err == nil && current(info.Cluster) {
			verdicts, err1 := j.store.js.Stream(c.t.Context(), "KV_"+verdictBucket)
			checked, err2 := j.store.js.Stream(c.t.Context(), checkedStream)
			graders, err3 := j.stream.Consumer(c.t.Context(), "graders")
			err = errors.Join(err1, err2, err3)
			if err == nil && current(verdicts.CachedInfo().Cluster) && current(checked.CachedInfo().Cluster) &&
				current(graders.CachedInfo().Cluster) {
				return
			}
		}
		if time.Now().After(end) {
			c.t.Fatalf("the servers do not have everything: %v, %+v", err, info)
		}
	}
}

// TestProofCluster kills each server of a cluster of three and each worker in turn, while participants hand in. They
// go on and are graded with a server less, no submission that was acknowledged is lost, and none has two verdicts.
func TestProofCluster(t *testing.T) {
	nats := startCluster(t)
	j, err := openWith(t.Context(), Options{URL: nats.urls, Log: slog.New(slog.NewTextHandler(t.Output(), nil))})
	if err != nil {
		t.Fatal(err)
	}
	c := newClass(t, j)
	var workers []process
	for i := range 2 {
		workers = append(workers, startProcess(t, fmt.Sprint("worker ", i), workerVariable, nats.urls))
	}
	appendAll(t, j, "K7M2QX", lesson[:2]...)
	handing, stop := context.WithCancel(t.Context())
	defer stop()
	var all sync.WaitGroup
	for p := range participants {
		all.Go(func() { c.hand(handing, p) })
	}
	c.goOn("at the beginning")
	for i := range workers {
		workers[i].kill()
		c.goOn(fmt.Sprintf("without worker %d", i))
		workers[i] = startProcess(t, fmt.Sprint("worker ", i, " again"), workerVariable, nats.urls)
	}
	for i := range nats.servers {
		nats.whole(j)
		c.handsIn()
		nats.servers[i].kill()
		c.goOn(fmt.Sprintf("without server %d", i))
		nats.start(i)
	}
	nats.whole(j)
	c.goOn("with all servers")
	stop()
	all.Wait()
	c.until("more submissions that are graded", func() bool { return c.done >= len(c.acknowledged) })

	c.mu.Lock()
	acknowledged, submissions := maps.Clone(c.acknowledged), c.room.Submissions
	c.mu.Unlock()
	for id := range acknowledged {
		s := submissions[id]
		wanted := outcome(Task{Record: Record{Event: room.Event{Submission: id}}}).Grade.Score
		if s == nil || s.State != room.StateGraded || s.Grade.Score != wanted {
			t.Errorf("%s: %+v", id, s)
			continue
		}
		entry, err := j.verdicts.Get(t.Context(), verdictKey("K7M2QX", id, 0))
		if err != nil {
			t.Error(err)
			continue
		}
		var graded Graded
		if err := json.Unmarshal(entry.Value(), &graded); err != nil ||
			string(graded.Verdict) != fmt.Sprintf("%q", id) {
			t.Errorf("%s: %v, %s", id, err, entry.Value())
		}
	}
	// Each verdict was written once: another one under its key would have a number of its own.
	verdicts, err := j.store.js.Stream(t.Context(), "KV_"+verdictBucket)
	if err != nil {
		t.Fatal(err)
	}
	if state := verdicts.CachedInfo().State; state.LastSeq != state.Msgs || state.Msgs != uint64(len(submissions)) {
		t.Errorf("%d submissions have %d verdicts, of %d that were written", len(submissions), state.Msgs,
			state.LastSeq)
	}
	t.Logf("%d submissions were acknowledged", len(acknowledged))
}

// TestProofSharedPrograms has two runners share programs in a cluster of three servers, of which one is killed. The
// limit on a client holds for both together, and each finds what the other has stored.
func TestProofSharedPrograms(t *testing.T) {
	nats := startCluster(t)
	limits := Limits{Count: 1000, Bytes: 1 << 20, ClientCount: 20}
	runners := []*Snippets{openAt(t, nats.urls, limits), openAt(t, nats.urls, limits)}
	share := func(client string) (stored map[string]string) {
		stored = map[string]string{}
		var mu sync.Mutex
		var all sync.WaitGroup
		for i := range 40 {
			all.Go(func() {
				body := fmt.Sprint(client, " shares ", i)
				for {
					id, err := runners[i%2].Put(t.Context(), client, []byte(body))
					switch {
					case err == nil:
						mu.Lock()
						defer mu.Unlock()
						stored[id] = body
					case !errors.Is(err, ErrClientFull) && t.Context().Err() == nil:
						continue // the servers elect a leader
					}
					return
				}
			})
		}
		all.Wait()
		return stored
	}
	stored := share("before")
	nats.servers[0].kill()
	maps.Copy(stored, share("after"))
	if len(stored) != 40 {
		t.Errorf("%d programs of two clients are stored, of at most 20 each", len(stored))
	}
	for id, body := range stored {
		for _, s := range runners {
			wantBody(t, s, id, body)
		}
	}
}
