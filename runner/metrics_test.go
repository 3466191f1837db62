package main

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	dto "github.com/prometheus/client_model/go"
	"github.com/prometheus/common/expfmt"
	"github.com/prometheus/common/model"

	"onthestack/internal/sandbox"
	"onthestack/internal/verdict"
	"onthestack/runner/snippets"
)

// figures are the metrics that a server shows, each with its labels: `runner_builds_total{outcome="ok"}`.
type figures map[string]float64

func scrape(t *testing.T, address string) figures {
	t.Helper()
	a := send(t, "GET", address+"/metrics", "", "")
	if a.status != http.StatusOK || !strings.HasPrefix(a.header.Get("Content-Type"), "text/plain; version=0.0.4") {
		t.Fatalf("status %d, %v: %s", a.status, a.header, a.body)
	}
	parser := expfmt.NewTextParser(model.LegacyValidation)
	families, err := parser.TextToMetricFamilies(strings.NewReader(a.body))
	if err != nil {
		t.Fatalf("the metrics are not in Prometheus' format: %v\n%s", err, a.body)
	}
	all := figures{}
	for name, family := range families {
		if family.GetHelp() == "" {
			t.Errorf("%s has no help", name)
		}
		for _, metric := range family.Metric {
			var labels []string
			for _, l := range metric.Label {
				labels = append(labels, fmt.Sprintf("%s=%q", l.GetName(), l.GetValue()))
			}
			key := name
			if labels != nil {
				key += "{" + strings.Join(labels, ",") + "}"
			}
			all[key] = value(family.GetType(), metric)
		}
	}
	return all
}

func value(kind dto.MetricType, m *dto.Metric) float64 {
	switch kind {
	case dto.MetricType_COUNTER:
		return m.Counter.GetValue()
	case dto.MetricType_GAUGE:
		return m.Gauge.GetValue()
	case dto.MetricType_HISTOGRAM:
		return float64(m.Histogram.GetSampleCount())
	}
	return -1
}

// TestMetricsMove has requests answered and looks at what they count.
func TestMetricsMove(t *testing.T) {
	s := idleServer(t, 2, 10)
	ts := httptest.NewServer(s.handler())
	defer ts.Close()
	before := scrape(t, ts.URL)
	e := sealedExercises().Lookup("exercise1")
	body := strings.ReplaceAll(`{"exercise":"exercise1","files":{"stream.go":"TEXT"}}`, "TEXT", "package stream")
	for range 3 {
		send(t, "POST", ts.URL+"/check", "application/json", body)
	}
	send(t, "POST", ts.URL+"/check", "application/json", `{"exercise":"exercise1","files":{"stream.go":"`+strings.Repeat("x", maxBody)+`"}}`)
	send(t, "GET", ts.URL+"/no/such/"+e.ID, "", "")
	send(t, "GET", ts.URL+"/version", "", "")
	after := scrape(t, ts.URL)
	for name, want := range map[string]float64{
		`runner_http_requests_total{code="200",path="/check"}`:   3,
		`runner_http_requests_total{code="413",path="/check"}`:   1,
		`runner_http_requests_total{code="404",path="other"}`:    1,
		`runner_http_requests_total{code="200",path="/version"}`: 1,
		`runner_http_request_duration_seconds{path="/check"}`:    4,
		`runner_builds_total{outcome="failed"}`:                  1,
		`runner_build_duration_seconds`:                          1,
		`runner_runs_total{outcome="ok"}`:                        0,
		`runner_cache_requests_total{outcome="miss"}`:            1,
		`runner_cache_requests_total{outcome="hit"}`:             2,
		`runner_cache_entries`:                                   1,
		`runner_queue_wait_seconds{queue="work"}`:                1,
		`runner_queue_waiting{queue="work"}`:                     0,
		`runner_queue_working{queue="format"}`:                   0,
		`runner_queue_refused_total{queue="work"}`:               0,
		`runner_limits_total{limit="body_size"}`:                 1,
		`runner_limits_total{limit="build_time"}`:                0,
		`runner_cache_evictions_total`:                           0,
		`runner_cache_requests_total{outcome="shared"}`:          0,
	} {
		if _, ok := after[name]; !ok {
			t.Errorf("there is no %s", name)
		}
		if got := after[name] - before[name]; got != want {
			t.Errorf("%s moved by %v, want %v", name, got, want)
		}
	}
	if after["runner_cache_bytes"] < 100 || after["go_goroutines"] < 1 {
		t.Errorf("%v bytes are kept, %v goroutines", after["runner_cache_bytes"], after["go_goroutines"])
	}
	found := 0
	for name, value := range after {
		if strings.HasPrefix(name, "runner_build_info{goversion=\""+s.release.Version+"\",version=\"") && value == 1 {
			found++
		}
	}
	if found != 1 {
		t.Error("build_info is missing")
	}
}

func TestOutcomes(t *testing.T) {
	broken := fmt.Errorf("broken")
	for _, c := range []struct {
		build *verdict.Build
		err   error
		want  string
	}{
		{&verdict.Build{OK: true}, nil, "ok"},
		{&verdict.Build{}, nil, "failed"},
		{nil, broken, "error"},
		{&verdict.Build{Stopped: "took longer than 10s and was stopped"}, nil, "build_time"},
		{&verdict.Build{Stopped: "needed more than 2048 MiB of memory and was stopped"}, nil, "build_memory"},
		{&verdict.Build{Stopped: "printed more than 8 MiB and was stopped"}, nil, "build_output"},
		{&verdict.Build{Stopped: "used more than 20s of processor time and was stopped"}, nil, "build_time"},
		{&verdict.Build{Stopped: "was stopped by the operating system, which may have no memory left"}, nil, "build_memory"},
		{&verdict.Build{Stopped: "wrote too much"}, nil, "build_other"},
	} {
		if got := buildOutcome(c.build, c.err); got != c.want {
			t.Errorf("build %+v, %v: %s, want %s", c.build, c.err, got, c.want)
		}
	}
	for _, c := range []struct {
		stop sandbox.Stop
		exit int
		err  error
		want string
	}{
		{sandbox.NotStopped, 0, nil, "ok"},
		{sandbox.NotStopped, 3, nil, "failed"},
		{sandbox.OutOfTime, -1, nil, "run_time"},
		{sandbox.TooMuchOutput, -1, nil, "run_output"},
		{sandbox.TooDeep, 2, nil, "run_stack"},
		{sandbox.NotStopped, 0, broken, "error"},
	} {
		if got := runOutcome(c.stop, c.exit, c.err); got != c.want {
			t.Errorf("run %v, %d, %v: %s, want %s", c.stop, c.exit, c.err, got, c.want)
		}
	}
	for _, c := range []struct {
		run  *verdict.Run
		err  error
		want string
	}{
		{&verdict.Run{}, nil, "ok"},
		{&verdict.Run{Exit: 1}, nil, "failed"},
		{nil, broken, "error"},
		{&verdict.Run{Stopped: "ran longer than 20s and was stopped"}, nil, "run_time"},
		{&verdict.Run{Stopped: "printed more than 1024 KiB and was stopped"}, nil, "run_output"},
		{&verdict.Run{Stopped: "recursed too deep and was stopped"}, nil, "run_stack"},
	} {
		if got := testOutcome(c.run, c.err); got != c.want {
			t.Errorf("tests %+v, %v: %s, want %s", c.run, c.err, got, c.want)
		}
	}
	m := idleServer(t, 1, 1).metrics
	store, err := snippets.Open(t.Context(), filepath.Join(t.TempDir(), "snippets.db"), snippets.Limits{Count: 10, Bytes: 1000})
	if err != nil {
		t.Fatal(err)
	}
	m.snippets(store)
	if _, err := store.Put(t.Context(), []byte("hello")); err != nil {
		t.Fatal(err)
	}
	m.built(time.Now(), &verdict.Build{Stopped: "took longer than 10s"}, nil)
	m.run(programOutcome(&sandbox.ProgramRun{Stop: sandbox.TooMuchOutput, Exit: -1}), time.Second)
	m.run(programOutcome(&sandbox.ProgramRun{Exit: 2, Events: []sandbox.Event{{Message: "fatal error: out of memory\n", Kind: "stderr"}}}), time.Second)
	ts := httptest.NewServer(m.serve())
	defer ts.Close()
	for name, want := range map[string]float64{
		`runner_builds_total{outcome="build_time"}`: 1, `runner_limits_total{limit="build_time"}`: 1,
		`runner_limits_total{limit="run_memory"}`: 1,
		`runner_runs_total{outcome="run_output"}`: 1, `runner_limits_total{limit="run_output"}`: 1,
		`runner_snippets`: 1, `runner_snippets_bytes`: 5,
	} {
		if got := scrape(t, ts.URL)[name]; got != want {
			t.Errorf("%s is %v, want %v", name, got, want)
		}
	}
	if err := store.Close(); err != nil {
		t.Error(err)
	}
	if got := scrape(t, ts.URL)["runner_snippets"]; got != -1 {
		t.Errorf("%v snippets in a store that cannot be read", got)
	}
}

// TestMetricsAreNotForAll asks as somebody else's machine would.
func TestMetricsAreNotForAll(t *testing.T) {
	s := idleServer(t, 1, 1)
	get := func(s *server, remote, forwarded string) int {
		r := httptest.NewRequest("GET", "/metrics", nil)
		r.RemoteAddr, r.Host = remote, "localhost:8080"
		if forwarded != "" {
			r.Header.Set("X-Forwarded-For", forwarded)
		}
		w := httptest.NewRecorder()
		s.handler().ServeHTTP(w, r)
		return w.Code
	}
	for _, c := range []struct {
		remote, forwarded string
		want              int
	}{
		{"127.0.0.1:1234", "", 200}, {"[::1]:1234", "", 200}, {"203.0.113.7:1234", "", 404}, {"127.0.0.1:1234", "203.0.113.7", 404}, {"127.0.0.1:1234", "127.0.0.1", 404},
	} {
		if got := get(s, c.remote, c.forwarded); got != c.want {
			t.Errorf("%s for %q: status %d, want %d", c.remote, c.forwarded, got, c.want)
		}
	}
	s.metricsAddr = "127.0.0.1:0"
	if got := get(s, "127.0.0.1:1234", ""); got != 404 {
		t.Errorf("with a listener of their own: status %d", got)
	}
}

// TestEqualRequestsBuildOnce has a hundred clients check the same at once, with room for few in the queue.
func TestEqualRequestsBuildOnce(t *testing.T) {
	s := idleServer(t, 1, 1)
	ts := httptest.NewServer(s.handler())
	defer ts.Close()
	files := texts(sealedExercises().Lookup("exercise1").Starter())
	var all sync.WaitGroup
	answers := make(chan answer, 100)
	for range cap(answers) {
		all.Go(func() { answers <- postCheckTo(t, ts.URL, "exercise1", files) })
	}
	all.Wait()
	close(answers)
	first, outcomes := "", map[string]int{}
	for a := range answers {
		if first == "" {
			first = a.body
		}
		if a.status != http.StatusOK || a.body != first {
			t.Errorf("status %d: %s", a.status, a.body)
		}
		outcomes[a.header.Get("X-Cache")]++
	}
	after := scrape(t, ts.URL)
	if n := after[`runner_builds_total{outcome="ok"}`]; n != 1 || after["runner_build_duration_seconds"] != 1 {
		t.Errorf("%v builds, of which %v succeeded", after["runner_build_duration_seconds"], n)
	}
	if outcomes["miss"] != 1 || outcomes["miss"]+outcomes["shared"]+outcomes["hit"] != 100 || outcomes["shared"] < 50 {
		t.Errorf("the answers were %v", outcomes)
	}
}
