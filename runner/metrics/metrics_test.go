package metrics

import (
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"onthestack/internal/execution"
	"onthestack/runner/queue"
	"onthestack/runner/store"
)

// shown returns the metrics in the text format of Prometheus.
func shown(m *Metrics) string {
	w := httptest.NewRecorder()
	m.Handler().ServeHTTP(w, httptest.NewRequest("GET", "/metrics", nil))
	return w.Body.String()
}

// TestCounted counts one event of each kind, and finds each in the text format of Prometheus.
func TestCounted(t *testing.T) {
	q, err := queue.New(1, 1, 0)
	if err != nil {
		t.Fatal(err)
	}
	in, err := store.Open(store.Options{Dir: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	defer in.Close()
	shared, err := in.Snippets(t.Context(), store.Limits{Count: 10, Bytes: 1000})
	if err != nil {
		t.Fatal(err)
	}
	m := New("go1.26.8", map[string]*queue.Queue{"work": q})
	m.Snippets(shared)
	if _, err := shared.Put(t.Context(), "a client", []byte("hello")); err != nil {
		t.Fatal(err)
	}
	start := time.Now()
	m.Build(start, false, execution.Stop{Kind: execution.BuildTime}, nil)
	m.Program(start, &execution.Result{Stop: execution.Stop{Kind: execution.Output}, Exit: -1}, nil)
	m.Program(start, &execution.Result{Exit: 2, Events: []execution.Event{{Message: "fatal error: out of memory\n",
		Kind: "stderr"}}}, nil)
	m.Tests(start, &execution.TestRun{}, nil)
	m.Request("/share", 507, time.Second)
	m.Reached(LimitSnippets)
	m.Reached(LimitSnippetsClient)
	m.Reached(LimitSnippetsRate)
	m.Request("/check", 413, time.Second)
	m.Reached(LimitQueue)
	m.Reached(LimitUnsent)
	m.Waited("work", time.Second)
	m.Answer(queue.Hit)
	text := shown(m)
	for _, line := range []string{
		`runner_builds_total{outcome="build_time"} 1`, `runner_limits_total{limit="build_time"} 1`,
		`runner_build_duration_seconds_count 1`,
		`runner_runs_total{outcome="run_output"} 1`, `runner_limits_total{limit="run_output"} 1`,
		`runner_limits_total{limit="run_memory"} 1`,
		`runner_runs_total{outcome="ok"} 1`, `runner_runs_total{outcome="error"} 0`,
		`runner_run_duration_seconds_count 3`,
		`runner_http_requests_total{code="507",path="/share"} 1`, `runner_limits_total{limit="snippets"} 1`,
		`runner_limits_total{limit="body_size"} 1`,
		`runner_limits_total{limit="queue"} 1`, `runner_limits_total{limit="unread"} 1`,
		`runner_limits_total{limit="run_stack"} 0`,
		`runner_queue_wait_seconds_sum{queue="work"} 1`, `runner_cache_requests_total{outcome="hit"} 1`,
		`runner_limits_total{limit="snippets_client"} 1`, `runner_limits_total{limit="snippets_rate"} 1`,
		`runner_snippets_evicted_total 0`,
		`runner_snippets 1`, `runner_snippets_bytes 5`,
	} {
		if !strings.Contains(text, "\n"+line+"\n") {
			t.Errorf("there is no line %s in\n%s", line, text)
		}
	}
	in.Close()
	if !strings.Contains(shown(m), "\nrunner_snippets -1\n") {
		t.Error("a store that cannot be read reports snippets")
	}
}
