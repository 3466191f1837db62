package api

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	dto "github.com/prometheus/client_model/go"
	"github.com/prometheus/common/expfmt"
	"github.com/prometheus/common/model"

	"onthestack/internal/programs"
)

// figures are the metrics of a server, each with its labels, such as `runner_builds_total{outcome="ok"}`.
type figures map[string]float64

func scrape(t testing.TB, address string) figures {
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

// TestMetricsMove sends requests and tests what the metrics count.
func TestMetricsMove(t *testing.T) {
	s := idleServer(t, 2, 10)
	ts := startServer(t, s.handler())
	before := scrape(t, ts.URL)
	e := sealedExercises().Lookup("exercise6")
	body := strings.ReplaceAll(`{"exercise":"exercise6","files":{"stream.go":"TEXT"}}`, "TEXT", "package stream")
	for range 3 {
		send(t, "POST", ts.URL+"/check", "application/json", body)
	}
	send(t, "POST", ts.URL+"/check", "application/json", `{"exercise":"exercise6","files":{"stream.go":"`+
		strings.Repeat("x", maxBody)+`"}}`)
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
		t.Errorf("%v bytes are cached, %v goroutines", after["runner_cache_bytes"], after["go_goroutines"])
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

// endlessBuild returns a program that takes the compiler for ever: a structure of 2^40 parts.
func endlessBuild() string {
	var b strings.Builder
	b.WriteString("package main\n\ntype t0 struct{ a, b int }\n")
	for n := range 40 {
		fmt.Fprintf(&b, "type t%d struct{ a, b t%d }\n", n+1, n)
	}
	return b.String() + "\nfunc main() { var x t40; println(&x) }\n"
}

// TestLimitsOfAllBuilds sends a program, or a solution, that exceeds the limit of builds to each endpoint that builds.
func TestLimitsOfAllBuilds(t *testing.T) {
	set := testSettings(1, 10)
	set.BuildTime = 500 * time.Millisecond
	s := startedServer(t, set).prepared(t, sealedExercises().Lookup("exercise6").Dependencies()...)
	close(s.warming.ended)
	ts := startServer(t, s.handler())
	endless := endlessBuild()
	solution, err := json.Marshal(checkRequest{"exercise6", map[string]string{"stream.go": strings.Replace(endless,
		"package main", "package stream", 1)}})
	if err != nil {
		t.Fatal(err)
	}
	form := func(program string) string { return url.Values{"body": {program}}.Encode() }
	longReport := "package main\n\nvar kept any\n\nfunc f(x any) { kept = x; kept = s }\n\nconst s = \"" +
		strings.Repeat("x", 8000) + "\"\n\nfunc main() {\n" + strings.Repeat("\tf(s)\n", 4000) + "}\n"
	for _, c := range []struct{ path, kind, body string }{
		{"/vet", formType, form(endless)},
		{"/escape", formType, form(longReport)},
		{"/compile", formType, form(endless)},
		{"/check", "application/json", string(solution)},
	} {
		before := scrape(t, ts.URL)
		a := send(t, "POST", ts.URL+c.path, c.kind, c.body)
		if a.status != http.StatusOK || !strings.Contains(a.body, "and was stopped") &&
			!strings.Contains(a.body, programs.BuildTimeout) {
			t.Errorf("%s: no limit ended the build: status %d, %.1000s", c.path, a.status, a.body)
			continue
		}
		after := scrape(t, ts.URL)
		for _, counter := range []string{"runner_limits_total{limit", "runner_builds_total{outcome"} {
			moved := 0.0
			for _, limit := range []string{"build_time", "build_memory", "build_output", "build_other"} {
				name := fmt.Sprintf("%s=%q}", counter, limit)
				moved += after[name] - before[name]
			}
			if moved != 1 {
				t.Errorf("%s: %s=…} moved by %v, want 1", c.path, counter, moved)
			}
		}
	}
	again := send(t, "POST", ts.URL+"/vet", formType, form(endless))
	if again.header.Get("X-Cache") != "miss" {
		t.Errorf("the answer at a time limit is cached: %v", again.header)
	}
}
