package journal

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/nats-io/nats-server/v2/server"

	"onthestack/runner/room"
)

// The test binary is also the processes that TestProofCluster kills: a NATS server, or a worker. The variable has the
// server's configuration file, or the addresses that the worker uses.
const (
	serverVariable = "JOURNAL_TEST_SERVER"
	workerVariable = "JOURNAL_TEST_WORKER"
)

func TestMain(m *testing.M) {
	switch conf, addresses := os.Getenv(serverVariable), os.Getenv(workerVariable); {
	case conf != "":
		os.Exit(report(runServer(conf)))
	case addresses != "":
		os.Exit(report(runWorker(addresses)))
	}
	os.Exit(m.Run())
}

func report(err error) int {
	fmt.Println("ended:", err)
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
	s.Start()
	if !s.ReadyForConnections(time.Minute) {
		return errors.New("not ready")
	}
	fmt.Println("ready")
	s.WaitForShutdown()
	return nil
}

// outcome is what the workers of the test grade a submission with: the submission decides alone.
func outcome(t Task) Graded {
	score := float64(len(t.Submission)%2) / 2
	return Graded{Verdict: fmt.Appendf(nil, "%q", t.Files["a.go"]), Grade: room.Grade{Score: score}}
}

func runWorker(addresses string) error {
	j, err := Open(context.Background(), Options{URL: addresses})
	if err != nil {
		return err
	}
	fmt.Println("ready")
	return j.Grade(context.Background(), func(_ context.Context, task Task) (Graded, error) {
		time.Sleep(20 * time.Millisecond)
		return outcome(task), nil
	})
}

// startProcess starts the test binary with a variable, and waits until it is ready.
func startProcess(t *testing.T, variable, value string) *exec.Cmd {
	t.Helper()
	p := exec.CommandContext(t.Context(), os.Args[0])
	p.Env = append(os.Environ(), variable+"="+value)
	out, err := p.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := p.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { kill(p) })
	lines := bufio.NewScanner(out)
	if !lines.Scan() || lines.Text() != "ready" {
		t.Fatalf("a process says %q", lines.Text())
	}
	go io.Copy(io.Discard, out)
	return p
}

// kill ends a process as kill -9 does.
func kill(p *exec.Cmd) {
	p.Process.Kill()
	p.Wait()
}

// startCluster starts three servers in processes of their own, which need a token. start starts one again.
func startCluster(t *testing.T) (addresses string, servers []*exec.Cmd, start func(i int) *exec.Cmd) {
	t.Helper()
	dir := t.TempDir()
	ports := freePorts(t, 6)
	var routes, urls, confs []string
	for i := range 3 {
		urls = append(urls, fmt.Sprintf("nats://secret@127.0.0.1:%d", ports[i]))
		routes = append(routes, fmt.Sprintf("nats://127.0.0.1:%d", ports[3+i]))
	}
	for i := range 3 {
		conf := filepath.Join(dir, fmt.Sprintf("server%d.conf", i))
		text := fmt.Sprintf("server_name: s%d\nlisten: 127.0.0.1:%d\nauthorization { token: secret }\n"+
			"jetstream { store_dir: %q, sync_interval: always }\ncluster { name: class, listen: \"127.0.0.1:%d\", routes: [%s] }\n",
			i, ports[i], filepath.Join(dir, fmt.Sprint(i)), ports[3+i], strings.Join(routes, ", "))
		if err := os.WriteFile(conf, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		confs = append(confs, conf)
	}
	start = func(i int) *exec.Cmd { return startProcess(t, serverVariable, confs[i]) }
	for i := range 3 {
		servers = append(servers, start(i))
	}
	return strings.Join(urls, ","), servers, start
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

// TestProofCluster kills each server of a cluster of three and each worker in turn, while participants hand in. No
// submission that was acknowledged is lost, and none has two different verdicts.
func TestProofCluster(t *testing.T) {
	addresses, servers, startServer := startCluster(t)
	j, err := Open(t.Context(), Options{URL: addresses})
	if err != nil {
		t.Fatal(err)
	}
	defer j.Close()
	workers := []*exec.Cmd{startProcess(t, workerVariable, addresses), startProcess(t, workerVariable, addresses)}
	appendAll(t, j, "K7M2QX", lesson[:2]...)

	var mu sync.Mutex
	acknowledged := map[string]bool{}
	count := func() int {
		mu.Lock()
		defer mu.Unlock()
		return len(acknowledged)
	}
	until := func(what string, f func() bool) {
		t.Helper()
		for end := time.Now().Add(2 * time.Minute); !f(); time.Sleep(20 * time.Millisecond) {
			if time.Now().After(end) {
				t.Fatalf("%s does not come", what)
			}
		}
	}
	handing, stop := context.WithCancel(t.Context())
	defer stop()
	var participants sync.WaitGroup
	for p := range 4 {
		participants.Go(func() {
			for n := 0; handing.Err() == nil; n++ {
				id := fmt.Sprintf("s%d-%d", p, n)
				e := room.Event{Kind: room.Submitted, Participant: "p1", Exercise: "exercise1", Submission: id}
				// A page sends it again until it has an answer.
				for {
					if _, err := j.Append(t.Context(), "K7M2QX", id, Record{Event: e, Files: map[string]string{"a.go": id}}); err == nil {
						break
					}
					if t.Context().Err() != nil {
						return
					}
				}
				mu.Lock()
				acknowledged[id] = true
				mu.Unlock()
				time.Sleep(20 * time.Millisecond)
			}
		})
	}
	more := func() {
		t.Helper()
		target := count() + 20
		until("more submissions", func() bool { return count() >= target })
	}
	more()
	for i := range workers {
		kill(workers[i])
		more()
		workers[i] = startProcess(t, workerVariable, addresses)
	}
	for i := range servers {
		kill(servers[i])
		more()
		servers[i] = startServer(i)
		until("all servers with all messages", func() bool {
			info, err := j.stream.Info(t.Context())
			if err != nil || info.Cluster == nil || len(info.Cluster.Replicas) != replicas-1 {
				return false
			}
			for _, peer := range info.Cluster.Replicas {
				if !peer.Current || peer.Offline {
					return false
				}
			}
			return true
		})
	}
	stop()
	participants.Wait()

	rooms := follow(t, j, func(rooms map[string]*room.Room) bool {
		r := rooms["K7M2QX"]
		if r == nil || len(r.Submissions) < count() {
			return false
		}
		for _, s := range r.Submissions {
			if s.State == room.StateQueued {
				return false
			}
		}
		return true
	})
	for id := range acknowledged {
		s := rooms["K7M2QX"].Submissions[id]
		if s == nil || s.State != room.StateGraded || s.Grade.Score != outcome(Task{Submission: id}).Grade.Score {
			t.Errorf("%s: %+v", id, s)
			continue
		}
		entry, err := j.verdicts.Get(t.Context(), verdictKey("K7M2QX", id, 0))
		if err != nil {
			t.Error(err)
			continue
		}
		var graded Graded
		if err := json.Unmarshal(entry.Value(), &graded); err != nil || string(graded.Verdict) != fmt.Sprintf("%q", id) {
			t.Errorf("%s: %v, %s", id, err, entry.Value())
		}
	}
	// Each verdict was written once: another one under its key would have a number of its own.
	verdicts, err := j.js.Stream(t.Context(), "KV_"+bucketName)
	if err != nil {
		t.Fatal(err)
	}
	if state := verdicts.CachedInfo().State; state.LastSeq != state.Msgs || state.Msgs != uint64(len(rooms["K7M2QX"].Submissions)) {
		t.Errorf("%d submissions have %d verdicts, of %d that were written", len(rooms["K7M2QX"].Submissions), state.Msgs, state.LastSeq)
	}
	t.Logf("%d submissions were acknowledged", len(acknowledged))
}
