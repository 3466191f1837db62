package api

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"time"

	"onthestack/runner/metrics"
	"onthestack/runner/queue"
	"onthestack/runner/request"
)

// answer does the work of a request and sends its answer. The header X-Cache is its CacheStatus; answers that are never
// cached do not have it.
func (e endpoint) answer(w http.ResponseWriter, r *http.Request, q *queue.Request) {
	a, err := e.queue.Do(r.Context(), q)
	e.answered(r, a)
	if err != nil {
		e.fail(w, r, err)
		return
	}
	if e.judged != nil {
		e.judged(r, a.Body)
	}
	if a.CacheStatus != "" {
		w.Header().Set("X-Cache", string(a.CacheStatus))
	}
	e.unsent.add(q.Client, len(a.Body))
	defer e.unsent.add(q.Client, -len(a.Body))
	request.ReplyJSON(w, http.StatusOK, a.Body)
}

// answered counts where an answer came from, and records it for the log.
func (s *Server) answered(r *http.Request, a queue.Answer) {
	recordOf(r).answer = a
	if a.CacheStatus != "" {
		s.metrics.Answer(a.CacheStatus)
	}
}

// siteWriteTime bounds how long sending a file of the site may take.
const siteWriteTime = 2 * time.Minute

// timely limits how long next may take to send an answer. It is for handlers whose requests do not wait in a queue.
func timely(d time.Duration, next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		request.WriteWithin(w, d)
		next.ServeHTTP(w, r)
	})
}

// unable returns the refusal of a server that cannot build and run programs. The status tells pages to do it
// themselves: asking again is of no use.
func (s *Server) unable() *request.Refusal {
	return request.Refuse(http.StatusNotImplemented, "this server does not check or run programs: "+s.release.EngineReason)
}

// statusClientGone is the status with which nginx logs a request whose client has left.
const statusClientGone = 499

// refusalOf returns the refusal for an error. An error of the server itself is logged, and not shown to the client.
func (s *Server) refusalOf(r *http.Request, err error) *request.Refusal {
	var refused *request.Refusal
	var full *queue.Full
	switch {
	case errors.As(err, &refused):
		if refused == errUnsent {
			s.metrics.Reached(metrics.LimitUnsent)
		}
		return refused
	case errors.As(err, &full):
		s.metrics.Reached(metrics.LimitQueue)
		return &request.Refusal{Status: http.StatusServiceUnavailable, Message: full.Error(),
			Retry: strconv.Itoa(int(full.RetryAfter / time.Second))}
	case errors.Is(context.Cause(r.Context()), errStopping):
		return errStopping
	case r.Context().Err() != nil:
		// The client has left; the status is for the log.
		return request.Refuse(statusClientGone, "the request was canceled")
	}
	s.log.Error("request failed", "path", shorten(r.URL.Path, 100), "error", err)
	return request.Refuse(http.StatusInternalServerError, "the runner could not do this; its log says why")
}

func (s *Server) fail(w http.ResponseWriter, r *http.Request, err error) { s.refusalOf(r, err).Send(w) }

// failAsText is fail for paths whose clients expect plain text.
func (s *Server) failAsText(w http.ResponseWriter, r *http.Request, err error) {
	refused := s.refusalOf(r, err)
	refused.SetRetry(w)
	http.Error(w, strings.ToUpper(refused.Message[:1])+refused.Message[1:], refused.Status)
}

// failSite answers a request for a file of the site that cannot be read.
func (s *Server) failSite(w http.ResponseWriter, _ *http.Request, err error) {
	s.log.Error("read the site", "error", err)
	request.Refuse(http.StatusInternalServerError, "the runner could not read this page; its log says why").Send(w)
}

// stream answers with server-sent events: the events of the work, and a last one. If the work succeeds, the last event
// has the endpoint's name for it, and its data is the body that answer would send; otherwise see lastEvent. An error
// before the first event is sent with its status, as answer would. There is no header X-Cache, because the stream
// begins before it is known.
func (e endpoint) stream(w http.ResponseWriter, r *http.Request, q *queue.Request) {
	ctx, cancel := context.WithCancelCause(r.Context())
	defer cancel(nil)
	// When nothing can be written to the client any more, it has left.
	stream := &request.Stream{W: w, Broken: cancel}
	send := func(name, data string) {
		e.unsent.add(q.Client, len(data))
		defer e.unsent.add(q.Client, -len(data))
		stream.Send("", name, data)
	}
	q.Notify = func(event queue.Event) { send(event.Name, event.Data) }
	working, done := context.WithCancel(context.Background())
	var beating sync.WaitGroup
	beating.Go(func() { keepAlive(working, stream, e.keepAlive) })
	a, err := e.queue.Do(ctx, q)
	e.answered(r, a)
	done()
	beating.Wait()
	switch {
	case err == nil:
		if e.judged != nil {
			e.judged(r, a.Body)
		}
		send(e.last, string(a.Body))
	case !stream.Begun():
		e.fail(w, r, err)
	default:
		send(e.lastEvent(r, err))
	}
}

// keepAlive sends a comment at each interval, until ctx is done.
func keepAlive(ctx context.Context, stream *request.Stream, interval time.Duration) {
	ticker := time.NewTicker(interval)
	defer ticker.Stop()
	for {
		select {
		case <-ticker.C:
			stream.Comment("still at it")
		case <-ctx.Done():
			return
		}
	}
}

// A busyAnswer is the data of the event "busy", for a client that may send the same request again.
type busyAnswer struct {
	Seconds json.Number `json:"seconds"` // how long to wait first; the header Retry-After of other answers
	Error   string      `json:"error"`
}

// lastEvent returns the last event of a stream whose work failed: "busy" if the client may send the same request again,
// because the queue is full or the server is stopping, and otherwise "error".
func (s *Server) lastEvent(r *http.Request, err error) (name, data string) {
	refused := s.refusalOf(r, err)
	name, answer := "error", any(request.Error{Error: refused.Message})
	if refused.Retry != "" {
		name, answer = "busy", busyAnswer{json.Number(refused.Retry), refused.Message}
	}
	text, _ := json.Marshal(answer) // never fails for numbers and strings
	return name, string(text)
}

// wantsEvents reports whether the client's Accept headers name text/event-stream, and not application/json before it.
func wantsEvents(accept []string) bool {
	list := strings.ToLower(strings.Join(accept, ","))
	events, plain := strings.Index(list, "text/event-stream"), strings.Index(list, "application/json")
	return events >= 0 && (plain < 0 || events < plain)
}
