package remote

import (
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go"

	"onthestack/runner/queue"
)

const release = "go1.26.8 X:none"

func startNATS(t *testing.T) (connect func() *nats.Conn) {
	t.Helper()
	s, err := server.NewServer(&server.Options{Host: "127.0.0.1", Port: server.RANDOM_PORT, NoSigs: true, NoLog: true})
	if err != nil {
		t.Fatal(err)
	}
	s.Start()
	t.Cleanup(s.Shutdown)
	if !s.ReadyForConnections(time.Minute) {
		t.Fatal("the NATS server does not start")
	}
	return func() *nats.Conn {
		t.Helper()
		c, err := nats.Connect(s.ClientURL())
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(c.Close)
		return c
	}
}

type doFunc func(ctx context.Context, request []byte, tell func(queue.Event)) (Answer, error)

// unread is for tests that do not look at the events of a request.
func unread(queue.Event) {}

var check = []byte("check")

// start runs a worker until the test ends.
func start(t *testing.T, conn *nats.Conn, do doFunc) {
	t.Helper()
	ctx, stop := context.WithCancel(context.Background())
	w := Worker{Conn: conn, Release: release, Slots: 2, Do: do, Log: slog.New(slog.DiscardHandler)}
	var running sync.WaitGroup
	running.Go(func() { w.Run(ctx) })
	t.Cleanup(func() {
		stop()
		running.Wait()
	})
}

// pool returns a pool that has the workers' slots.
func pool(t *testing.T, conn *nats.Conn, slots int) *Pool {
	t.Helper()
	p := &Pool{Conn: conn, Release: release, Log: slog.New(slog.NewTextHandler(t.Output(), nil))}
	ctx, stop := context.WithTimeout(t.Context(), time.Minute)
	defer stop()
	reached := false
	p.Watch(ctx, func(n int) {
		if n == slots {
			reached = true
			stop()
		}
	})
	if !reached {
		t.Fatalf("the pool never has %d slots", slots)
	}
	return p
}

func TestAnswer(t *testing.T) {
	connect := startNATS(t)
	var busy atomic.Int64
	start(t, connect(), func(_ context.Context, request []byte, tell func(queue.Event)) (Answer, error) {
		if busy.Add(1) < 3 {
			return Answer{}, ErrBusy
		}
		if string(request) == "large" {
			return Answer{Body: json.RawMessage(`"` + strings.Repeat("x", 2<<20) + `"`)}, nil
		}
		if string(request) == "fails" {
			return Answer{}, errors.New("the compiler is missing")
		}
		tell(queue.Stage("build"))
		tell(queue.Event{Name: queue.EventPicture, Data: strings.Repeat("x", 2<<20)}) // too large for a message
		tell(queue.Stage("tests"))
		return Answer{Body: json.RawMessage(`{"pass":true}`), Transient: true}, nil
	})
	p := pool(t, connect(), 2)
	var told []queue.Event
	answer, err := p.Do(t.Context(), check, func(e queue.Event) { told = append(told, e) })
	if err != nil || string(answer.Body) != `{"pass":true}` || !answer.Transient ||
		!slices.Equal(told, []queue.Event{queue.Stage("build"), queue.Stage("tests")}) {
		t.Errorf("%v, %s, %q", err, answer.Body, told)
	}
	for _, request := range []string{"fails", "large"} {
		if answer, err := p.Do(t.Context(), []byte(request), unread); err == nil {
			t.Errorf("%s: %d bytes", request, len(answer.Body))
		}
	}
}

// TestNobody tests that a request fails at once where there is no worker, so that its server does it itself.
func TestNobody(t *testing.T) {
	p := &Pool{Conn: startNATS(t)(), Release: release, Log: slog.New(slog.DiscardHandler)}
	if _, err := p.Do(t.Context(), check, unread); !errors.Is(err, nats.ErrNoResponders) {
		t.Errorf("%v", err)
	}
}

// TestDeadWorker tests that another worker does what one that died had begun.
func TestDeadWorker(t *testing.T) {
	connect := startNATS(t)
	var began atomic.Int64
	for range 2 {
		conn := connect()
		start(t, conn, func(ctx context.Context, _ []byte, _ func(queue.Event)) (Answer, error) {
			if began.Add(1) == 1 {
				conn.Close() // nothing is heard of it any more
				<-ctx.Done()
			}
			return Answer{Body: json.RawMessage(`1`)}, nil
		})
	}
	p := pool(t, connect(), 4)
	answer, err := p.Do(t.Context(), check, unread)
	// On a machine with other work, more workers than the dead one may have seemed dead.
	if err != nil || string(answer.Body) != "1" || began.Load() < 2 {
		t.Errorf("%v, %s, begun %d times", err, answer.Body, began.Load())
	}
	pool(t, connect(), 2) // the dead one has no slots
}

// TestStop tests that a worker that is stopped gives back what it has begun.
func TestStop(t *testing.T) {
	connect := startNATS(t)
	stopping, stop := context.WithCancel(t.Context())
	began := make(chan struct{})
	begin := sync.OnceFunc(func() { close(began) }) // a worker that seemed dead may be asked again
	w := Worker{Conn: connect(), Release: release, Slots: 1, Log: slog.New(slog.DiscardHandler),
		Do: func(ctx context.Context, _ []byte, _ func(queue.Event)) (Answer, error) {
			begin()
			<-ctx.Done()
			return Answer{}, ctx.Err()
		}}
	ended := make(chan error, 1)
	go func() { ended <- w.Run(stopping) }()
	p := pool(t, connect(), 1)
	answers := make(chan error, 1)
	go func() {
		answer, err := p.Do(t.Context(), check, unread)
		if err == nil && string(answer.Body) != "2" {
			err = errors.New(string(answer.Body))
		}
		answers <- err
	}()
	<-began
	start(t, connect(), func(context.Context, []byte, func(queue.Event)) (Answer, error) {
		return Answer{Body: json.RawMessage(`2`)}, nil
	})
	pool(t, connect(), 3)
	stop()
	if err := <-answers; err != nil {
		t.Error(err)
	}
	if err := <-ended; !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}

// TestCancel tests that a worker learns that nobody waits for its answer, because the client has left or the server is
// gone.
func TestCancel(t *testing.T) {
	for _, test := range []struct {
		name  string
		leave func(cancel func(), server *nats.Conn)
	}{
		{"client", func(cancel func(), _ *nats.Conn) { cancel() }},
		{"server", func(_ func(), server *nats.Conn) { server.Close() }},
	} {
		t.Run(test.name, func(t *testing.T) {
			connect := startNATS(t)
			began, ended := make(chan struct{}), make(chan struct{})
			begin, end := sync.OnceFunc(func() { close(began) }), sync.OnceFunc(func() { close(ended) })
			start(t, connect(), func(ctx context.Context, _ []byte, _ func(queue.Event)) (Answer, error) {
				begin()
				<-ctx.Done()
				end()
				return Answer{}, ctx.Err()
			})
			conn := connect()
			p := pool(t, conn, 2)
			ctx, cancel := context.WithCancelCause(t.Context())
			gone := errors.New("the client has left")
			go func() {
				<-began
				test.leave(func() { cancel(gone) }, conn)
			}()
			_, err := p.Do(ctx, check, unread)
			if err == nil || ctx.Err() != nil && !errors.Is(err, gone) {
				t.Errorf("%v", err)
			}
			<-ended
		})
	}
}
