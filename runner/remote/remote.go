// Package remote has other machines do work, by request and reply in NATS. A [Worker] takes requests as a member of a
// queue group, and a [Pool] sends them. Subjects contain the release of Go, so that all answers to a request are the
// same.
//
// A request carries a reply subject on which the worker sends messages, each with a kind in its header: that the worker
// is at work, an event of the work, and finally the answer. If no message of a worker arrives for some
// seconds, the request goes to another one. Each message that a worker sends while it is at work has a reply subject
// itself, on which NATS says that there are no responders once nobody waits for the answer. The worker then stops.
package remote

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"math/rand/v2"
	"strings"
	"sync"
	"time"

	"github.com/nats-io/nats.go"

	"onthestack/runner/queue"
)

const (
	heartbeat = time.Second    // interval in which a worker says that it is there, and that it is at work
	silence   = 5 * heartbeat  // after it, a worker counts as dead
	retry     = heartbeat / 20 // the time after which a request is sent again when all workers are busy
	deaths    = 3              // workers that may die of a request
	group     = "workers"      // the queue group
	header    = "Onthestack"   // kind of a message
)

// Kinds of messages.
const (
	kindBusy   = "busy"   // the worker has no free slot
	kindBeat   = "beat"   // the worker is at work
	kindEvent  = "event"  // a queue.Event of the work
	kindDone   = "done"   // the answer
	kindFailed = "failed" // the worker could not do the work; its log says why
)

// An Answer is what the runner would answer.
type Answer struct {
	Body      json.RawMessage
	Transient bool // the same request may have another answer next time
}

// ErrBusy is the error of a worker's Do if no slot is free.
var ErrBusy = errors.New("no slot is free")

// errDead is the error for a worker whose heartbeat is missing.
var errDead = errors.New("the worker has sent no heartbeat")

// A presence says that a worker is there.
type presence struct {
	Worker string
	Slots  int
}

func subject(release, last string) string {
	return "work." + strings.NewReplacer(".", "_", " ", "_", "*", "_", ">", "_").Replace(release) + "." + last
}

// A Worker does the work of others.
type Worker struct {
	Conn    *nats.Conn
	Release string // of Go
	Slots   int    // requests that it works on at the same time
	// Do does a request, and reports the events of the work.
	Do  func(ctx context.Context, request []byte, tell func(queue.Event)) (Answer, error)
	Log *slog.Logger
}

// Run takes requests until ctx is done, and returns after those under way have ended.
func (w *Worker) Run(ctx context.Context) error {
	var all sync.WaitGroup
	defer all.Wait()
	// A request may still be delivered after Unsubscribe has returned, when nothing may be added to the group any more.
	var mu sync.Mutex
	ended := false
	requests, err := w.Conn.QueueSubscribe(subject(w.Release, "do"), group, func(m *nats.Msg) {
		mu.Lock()
		defer mu.Unlock()
		if ended {
			w.send(m.Reply, "", kindBusy, nil)
			return
		}
		all.Go(func() { w.serve(ctx, m) })
	})
	if err != nil {
		return fmt.Errorf("take requests: %w", err)
	}
	defer func() {
		requests.Unsubscribe()
		mu.Lock()
		defer mu.Unlock()
		ended = true
	}()
	self, err := json.Marshal(presence{nats.NewInbox(), w.Slots})
	if err != nil {
		return err
	}
	for {
		// An error means that the connection is lost, and is being made anew.
		w.Conn.Publish(subject(w.Release, "here"), self)
		select {
		case <-time.After(heartbeat):
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// send sends a message to a request's sender. If nobody is subscribed to its subject, NATS says so on noResponders.
func (w *Worker) send(to, noResponders, kind string, body []byte) {
	m := nats.NewMsg(to)
	m.Reply = noResponders
	m.Header.Set(header, kind)
	m.Data = body
	w.Conn.PublishMsg(m) // if it is lost, the sender misses the next heartbeat
}

func (w *Worker) serve(ctx context.Context, m *nats.Msg) {
	noResponders := w.Conn.NewInbox()
	send := func(kind string, body []byte) { w.send(m.Reply, noResponders, kind, body) }
	running := ctx
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	sub, err := w.Conn.Subscribe(noResponders, func(m *nats.Msg) {
		if m.Header.Get("Status") == "503" { // no responders: nobody waits any more
			stop()
		}
	})
	if err != nil {
		w.Log.Error("cannot subscribe to the end of a request", "error", err)
		return
	}
	defer sub.Unsubscribe()
	send(kindBeat, nil)
	beating, end := context.WithCancel(ctx)
	go func() {
		for {
			select {
			case <-time.After(heartbeat):
				send(kindBeat, nil)
			case <-beating.Done():
				return
			}
		}
	}()
	const headers = 4 << 10
	fits := func(body []byte) bool { return int64(len(body)) <= w.Conn.MaxPayload()-headers }
	answer, err := w.Do(ctx, m.Data, func(e queue.Event) {
		if body, err := json.Marshal(e); err == nil && fits(body) {
			send(kindEvent, body)
		}
	})
	end()
	var body []byte
	if err == nil {
		body, err = json.Marshal(answer)
	}
	switch {
	case errors.Is(err, ErrBusy), running.Err() != nil: // a worker that stops gives the request back
		send(kindBusy, nil)
	case err == nil && fits(body):
		send(kindDone, body)
	case err == nil:
		w.Log.Warn("an answer is larger than the cluster's messages may be", "bytes", len(body))
		send(kindFailed, nil)
	case ctx.Err() == nil:
		w.Log.Error("a request failed", "error", err)
		send(kindFailed, nil)
	}
}

// A Pool has workers do requests. It is safe for concurrent use.
type Pool struct {
	Conn    *nats.Conn
	Release string // of Go
	Log     *slog.Logger
}

// Watch calls changed with the number of slots that the workers have together, each time that it changes, until ctx is
// done.
func (p *Pool) Watch(ctx context.Context, changed func(slots int)) error {
	var mu sync.Mutex
	type seen struct {
		slots int
		last  time.Time
	}
	workers := map[string]seen{}
	sub, err := p.Conn.Subscribe(subject(p.Release, "here"), func(m *nats.Msg) {
		var w presence
		if json.Unmarshal(m.Data, &w) != nil || w.Slots < 0 || w.Slots > 1024 {
			return
		}
		mu.Lock()
		defer mu.Unlock()
		workers[w.Worker] = seen{w.Slots, time.Now()}
	})
	if err != nil {
		return fmt.Errorf("look for workers: %w", err)
	}
	defer sub.Unsubscribe()
	for slots := 0; ; {
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(heartbeat / 4):
		}
		now := 0
		mu.Lock()
		maps.DeleteFunc(workers, func(_ string, w seen) bool { return time.Since(w.last) > silence })
		for _, w := range workers {
			now += w.slots
		}
		count := len(workers)
		mu.Unlock()
		if now != slots {
			p.Log.Info("workers", "count", count, "slots", now)
			slots = now
			changed(slots)
		}
	}
}

// Do has a worker do a request, and reports the events of the work. If a worker dies, the next one begins anew. The
// error is ctx's cause, or that no worker could do it.
func (p *Pool) Do(ctx context.Context, request []byte, tell func(queue.Event)) (Answer, error) {
	for dead := 0; ; {
		answer, err := p.ask(ctx, request, tell)
		switch {
		case ctx.Err() != nil:
			return Answer{}, context.Cause(ctx)
		case errors.Is(err, ErrBusy):
		case errors.Is(err, errDead) && dead < deaths-1:
			dead++
			p.Log.Warn("a worker has died or cannot be reached; another one begins")
		default:
			return answer, err
		}
		// Somewhat at random, so that requests that were refused together do not return together.
		select {
		case <-time.After(retry + rand.N(retry)):
		case <-ctx.Done():
			return Answer{}, context.Cause(ctx)
		}
	}
}

// ask sends a request to one worker, and waits for its answer. The worker stops once ask has returned, because the
// subscription to its messages ends then.
func (p *Pool) ask(ctx context.Context, body []byte, tell func(queue.Event)) (Answer, error) {
	replies, err := p.Conn.SubscribeSync(p.Conn.NewInbox())
	if err != nil {
		return Answer{}, fmt.Errorf("ask a worker: %w", err)
	}
	defer replies.Unsubscribe()
	request := nats.NewMsg(subject(p.Release, "do"))
	request.Reply, request.Data = replies.Subject, body
	if err := p.Conn.PublishMsg(request); err != nil {
		return Answer{}, fmt.Errorf("ask a worker: %w", err)
	}
	for {
		waiting, stop := context.WithTimeout(ctx, silence)
		m, err := replies.NextMsgWithContext(waiting)
		stop()
		switch {
		case ctx.Err() != nil:
			return Answer{}, context.Cause(ctx)
		case errors.Is(err, context.DeadlineExceeded):
			return Answer{}, errDead
		case err != nil:
			return Answer{}, fmt.Errorf("ask a worker: %w", err)
		}
		switch m.Header.Get(header) {
		case kindBeat:
		case kindEvent:
			var e queue.Event
			if err := json.Unmarshal(m.Data, &e); err != nil {
				return Answer{}, fmt.Errorf("read an event of a worker: %w", err)
			}
			tell(e)
		case kindBusy:
			return Answer{}, ErrBusy
		case kindDone:
			var answer Answer
			return answer, json.Unmarshal(m.Data, &answer)
		default:
			return Answer{}, errors.New("the worker could not do it; its log says why")
		}
	}
}
