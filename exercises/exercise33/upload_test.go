package upload_test

import (
	"bytes"
	"maps"
	"slices"
	"strings"
	"sync"
	"testing"

	"onthestack/exercises/exercise33"
)

// A backlog keeps jobs until a test runs them. Goroutines share it.
type backlog struct {
	mu   sync.Mutex
	jobs []func()
}

func (q *backlog) Push(job func()) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.jobs = append(q.jobs, job)
}

// A ledger has all entries.
type ledger struct{ entries []entry }

func (l *ledger) Record(user, path, kind string, size int) {
	l.entries = append(l.entries, entry{user, path, kind, size})
}

// run runs a job, and compares what it records.
func (l *ledger) run(t *testing.T, job func(), want entry) {
	t.Helper()
	l.entries = nil
	job()
	if len(l.entries) != 1 || l.entries[0] != want {
		t.Fatalf("a job records the wrong entry\n  got:  %s\n  want: %s", show(l.entries), show(want))
	}
}

// same reports whether two requests are equal.
func same(a, b *upload.Request) bool {
	return a.User == b.User && a.Path == b.Path && bytes.Equal(a.Body, b.Body) &&
		(a.Header == nil) == (b.Header == nil) && maps.EqualFunc(a.Header, b.Header, slices.Equal)
}

// audit calls Audit, which has to push one job, record nothing, and change nothing.
func audit(t *testing.T, server *upload.Server, q *backlog, l *ledger, request *upload.Request) {
	t.Helper()
	was := *request
	was.Header, was.Body = maps.Clone(request.Header), slices.Clone(request.Body)
	jobs, entries := len(q.jobs), len(l.entries)
	server.Audit(request)
	if got := len(q.jobs) - jobs; got != 1 {
		t.Fatalf("not one job for a request\n  got:  %d\n  want: 1", got)
	}
	if got := len(l.entries) - entries; got != 0 {
		t.Fatalf("Audit records an entry itself\n  got:  %d\n  want: 0", got)
	}
	if !same(request, &was) {
		t.Fatalf("Audit changes the request\n  got:  %s\n  want: %s", show(*request), show(was))
	}
}

func TestAudit(t *testing.T) {
	q, l := &backlog{}, &ledger{}
	server := upload.NewServer(q, l)
	kinds := func(kinds ...string) map[string][]string { return map[string][]string{"Content-Type": kinds} }
	for i, test := range []struct {
		request upload.Request
		want    entry
	}{
		{upload.Request{}, entry{}},
		{upload.Request{User: "maria"}, entry{user: "maria"}},
		{upload.Request{Path: "/x"}, entry{path: "/x"}},
		{upload.Request{Body: []byte("x")}, entry{size: 1}},
		{upload.Request{Header: kinds("text/plain")}, entry{kind: "text/plain"}},
		{upload.Request{Header: kinds("a", "b")}, entry{kind: "a"}},
		{upload.Request{Header: kinds()}, entry{}},
		{upload.Request{Header: map[string][]string{"content-type": {"a"}, "Accept": {"b"}}}, entry{}},
		{upload.Request{User: "a", Path: "b", Header: kinds("c"), Body: []byte("dddd")}, entry{"a", "b", "c", 4}},
	} {
		audit(t, server, q, l, &test.request)
		l.run(t, q.jobs[i], test.want)
	}
}

// Jobs run in any order, some of them long after other requests have come.
func TestRandomRequests(t *testing.T) {
	r := newRand(t)
	for range 100 {
		q, l := &backlog{}, &ledger{}
		server := upload.NewServer(q, l)
		var want []entry
		for range 1 + r.IntN(20) {
			request, e := newRequest(r, newSize(r, 10_000)-1)
			audit(t, server, q, l, request)
			want = append(want, e)
		}
		for _, i := range r.Perm(len(want)) {
			l.run(t, q.jobs[i], want[i])
		}
	}
}

// Words and bodies of all sizes.
func TestLongRequests(t *testing.T) {
	r := newRand(t)
	q, l := &backlog{}, &ledger{}
	server := upload.NewServer(q, l)
	for n := 1; n <= 1<<20; n *= 4 {
		n := n + r.IntN(n)
		long := strings.Repeat("x", n)
		request := &upload.Request{
			User: long + "!", Path: long + "?", Header: map[string][]string{"Content-Type": {long}}, Body: make([]byte, n),
		}
		audit(t, server, q, l, request)
		l.run(t, q.jobs[len(q.jobs)-1], entry{long + "!", long + "?", long, n})
	}
}

// A queue may run a job at once.
type eager struct{}

func (eager) Push(job func()) { job() }

func TestAtOnce(t *testing.T) {
	l := &ledger{}
	upload.NewServer(eager{}, l).Audit(&upload.Request{User: "maria", Body: make([]byte, 7)})
	if want := (entry{"maria", "", "", 7}); len(l.entries) != 1 || l.entries[0] != want {
		t.Errorf("wrong entry of a queue that runs jobs at once\n  got:  %v\n  want: %v", l.entries, want)
	}
}

// Servers have queues and logs of their own.
func TestTwoServers(t *testing.T) {
	var queues [2]backlog
	var ledgers [2]ledger
	servers := [2]*upload.Server{upload.NewServer(&queues[0], &ledgers[0]), upload.NewServer(&queues[1], &ledgers[1])}
	for i := range 20 {
		audit(t, servers[i%2], &queues[i%2], &ledgers[i%2], &upload.Request{User: "maria", Body: make([]byte, i)})
	}
	for i := range 20 {
		ledgers[i%2].run(t, queues[i%2].jobs[i/2], entry{user: "maria", size: i})
	}
}

// Goroutines share a server.
func TestShared(t *testing.T) {
	r := newRand(t)
	q, l := &backlog{}, &ledger{}
	server := upload.NewServer(q, l)
	shared, e := newRequest(r, 100)
	want := map[entry]int{}
	var clients sync.WaitGroup
	for i := range 8 {
		request, own := newRequest(r, 1000+i)
		want[e] += 50
		want[own] += 50
		clients.Go(func() {
			for range 50 {
				server.Audit(shared)
				server.Audit(request)
			}
		})
	}
	clients.Wait()
	for _, job := range q.jobs {
		job()
	}
	got := map[entry]int{}
	for _, e := range l.entries {
		got[e]++
	}
	if !maps.Equal(got, want) {
		t.Errorf("wrong entries when goroutines share a server\n  got:  %d entries, %s\n  want: 800 entries, %s",
			len(l.entries), show(got), show(want))
	}
}
