package api

import (
	"context"
	"errors"
	"io"
	"net/http"
	"time"

	"github.com/klauspost/compress/gzhttp"

	"onthestack/runner/jobs"
	"onthestack/runner/remote"
	"onthestack/runner/request"
)

// An endpoint answers the requests of a route, each with its job.
type endpoint func(w http.ResponseWriter, r *http.Request, j *jobs.Job)

// ServeHTTP answers a request that did not come through dispatch.
func (e endpoint) ServeHTTP(w http.ResponseWriter, r *http.Request) { e(w, r, new(jobs.Job)) }

// A reader reads a request into the job's Key and Work. Its error is a refusal if the request is at fault.
type reader func(r *http.Request, j *jobs.Job) error

// compressed returns an endpoint that compresses its answers for clients that accept that.
func compressed(e endpoint) endpoint {
	return func(w http.ResponseWriter, r *http.Request, j *jobs.Job) {
		answer := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { e(w, r, j) })
		gzhttp.GzipHandler(answer).ServeHTTP(w, r)
	}
}

// maxDiscarded bounds the rest of a request that is too large, in bytes.
const maxDiscarded = 4 << 20

// work returns the endpoint for requests that cost processor time: it reads the request, and has the executor do the
// job. The header X-Cache of the answer is the job's CacheStatus; answers that are never cached do not have it. If
// stream is not "", clients may ask for server-sent events, the last of which has that name; see stream.
func (s *Server) work(e *jobs.Executor, read reader, stream string) endpoint {
	return func(w http.ResponseWriter, r *http.Request, j *jobs.Job) {
		if s.unavailable != "" && e == s.builds {
			s.refuse(w, s.unable())
			return
		}
		if stream != "" {
			w.Header().Add("Vary", "Accept")
		}
		whole := r.Body
		r.Body = http.MaxBytesReader(w, whole, maxBody)
		sent := record(r)
		if err := read(r, j); err != nil {
			var refused *request.Refusal
			if errors.As(err, &refused) && refused.Status == http.StatusRequestEntityTooLarge {
				// A client that still sends when the connection is closed does not get to read the answer. Sending more
				// than this is its own choice.
				io.CopyN(io.Discard, whole, maxDiscarded)
			}
			s.fail(w, r, err)
			return
		}
		j.Work = s.localOrRemote(remote.Request{Path: r.URL.Path, Query: r.URL.RawQuery,
			ContentType: r.Header.Get("Content-Type"), Body: sent.body.Bytes()}, j)
		// The read deadline is for the body, which has arrived. It would also cancel the request's context while the
		// job waits.
		http.NewResponseController(w).SetReadDeadline(time.Time{})
		if stream != "" && wantsEvents(r.Header.Values("Accept")) {
			s.stream(w, r, e, j, stream)
		} else {
			s.answer(w, r, e, j)
		}
	}
}

// do returns the answer to a job, unless the client does not read its answers, and counts where it came from.
func (s *Server) do(ctx context.Context, e *jobs.Executor, j *jobs.Job) ([]byte, error) {
	if err := s.unsent.check(j.Client); err != nil {
		return nil, err
	}
	body, err := e.Do(ctx, j)
	if j.CacheStatus != "" {
		s.metrics.Answer(j.CacheStatus)
	}
	return body, err
}

// answer does the job and sends its answer.
func (s *Server) answer(w http.ResponseWriter, r *http.Request, e *jobs.Executor, j *jobs.Job) {
	body, err := s.do(r.Context(), e, j)
	if err != nil {
		s.fail(w, r, err)
		return
	}
	if j.CacheStatus != "" {
		w.Header().Set("X-Cache", string(j.CacheStatus))
	}
	s.unsent.add(j.Client, len(body))
	defer s.unsent.add(j.Client, -len(body))
	s.send(w, http.StatusOK, body)
}

// begin waits until the packages that every program needs are compiled, and then begins the time of a job that builds
// and runs programs, which is --request-time. There is no limit while the rest of the standard library is being
// compiled, because a build may have to wait for that.
func (s *Server) begin(ctx context.Context, slot *jobs.Slot) (_ context.Context, end context.CancelFunc, err error) {
	if err := s.warming.wait(ctx); err != nil {
		return nil, nil, err
	}
	if !s.warming.over() {
		return ctx, func() {}, nil
	}
	ctx, slot.Timer, end = withRequestTime(ctx, s.settings.RequestTime)
	return ctx, end, nil
}
