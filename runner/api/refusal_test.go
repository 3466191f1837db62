package api

import (
	"bytes"
	"context"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"onthestack/runner/metrics"
	"onthestack/runner/store"
)

// TestShareFails tests the answers of /share and /p/, whose clients expect text: with a store that fails, for a
// client that has left, and while the server stops.
func TestShareFails(t *testing.T) {
	in, shared := openSnippets(t, store.Limits{Count: 10, Bytes: 1000})
	in.Close()
	var log bytes.Buffer
	s := &Server{shared: shared, log: slog.New(slog.NewTextHandler(&log, nil)), metrics: metrics.New("", nil)}
	handler := s.handler()
	for _, c := range []struct {
		name        string
		cause       error // of the request's context; nil for one that is not done
		status      int
		want, retry string
		logged      bool
	}{
		{"failing", nil, http.StatusInternalServerError, "The runner could not do this; its log says why\n", "", true},
		{"left", context.Canceled, statusClientGone, "The request was canceled\n", "", false},
		{"stopping", errStopping, http.StatusServiceUnavailable, "The runner is stopping: try again in " +
			retryStopping +
			" s\n", retryStopping, false},
	} {
		for _, ask := range []struct{ method, path string }{{"POST", "/share"}, {"GET", "/p/N_M_YelfGeR.go"},
			{"GET", "/p/N_M_YelfGeR"}} {
			log.Reset()
			ctx, cancel := context.WithCancelCause(t.Context())
			defer cancel(nil)
			if c.cause != nil {
				cancel(c.cause)
			}
			w := httptest.NewRecorder()
			handler.ServeHTTP(w, httptest.NewRequestWithContext(ctx, ask.method, ask.path, strings.NewReader("x")))
			if w.Code != c.status || w.Body.String() != c.want ||
				w.Header().Get("Content-Type") != "text/plain; charset=utf-8" ||
				w.Header().Get("Retry-After") != c.retry {
				t.Errorf("%s: %s: status %d, %v, %s", c.name, ask.path, w.Code, w.Header(), w.Body)
			}
			if got := strings.Contains(log.String(), "connection closed"); got != c.logged {
				t.Errorf("%s: %s: logged %s", c.name, ask.path, &log)
			}
		}
	}
}
