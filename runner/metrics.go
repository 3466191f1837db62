package main

import (
	"context"
	"net/http"
	"runtime/debug"
	"strconv"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/prometheus/client_golang/prometheus/promhttp"

	"onthestack/internal/verdict"
	"onthestack/runner/cache"
	"onthestack/runner/queue"
	"onthestack/runner/snippets"
)

// metrics counts what the server does. Its methods do nothing on a nil *metrics.
type metrics struct {
	registry *prometheus.Registry

	requests       *prometheus.CounterVec
	requestSeconds *prometheus.HistogramVec
	builds, runs   *prometheus.CounterVec
	buildSeconds   prometheus.Histogram
	runSeconds     prometheus.Histogram
	waitSeconds    *prometheus.HistogramVec
	answers        *prometheus.CounterVec
	limits         *prometheus.CounterVec
}

const namespace = "runner"

// newMetrics returns the metrics of a server with these queues and this cache, which builds by a Go release.
func newMetrics(goVersion string, queues map[string]*queue.Queue, results *cache.Cache) *metrics {
	counter := func(name, help string, labels ...string) *prometheus.CounterVec {
		return prometheus.NewCounterVec(prometheus.CounterOpts{Namespace: namespace, Name: name, Help: help}, labels)
	}
	histogram := func(name, help string) prometheus.HistogramOpts {
		return prometheus.HistogramOpts{Namespace: namespace, Name: name, Help: help, Buckets: secondsBuckets}
	}
	m := &metrics{
		registry:       prometheus.NewRegistry(),
		requests:       counter("http_requests_total", "Requests answered, by route and status.", "path", "code"),
		requestSeconds: prometheus.NewHistogramVec(histogram("http_request_duration_seconds", "Time from a request to the end of its answer."), []string{"path"}),
		builds:         counter("builds_total", "Programs and tests built: ok, failed, error, or the limit that ended the build.", "outcome"),
		buildSeconds:   prometheus.NewHistogram(histogram("build_duration_seconds", "Time that a build took.")),
		runs:           counter("runs_total", "Programs and tests run: ok, failed, error, or the limit that ended the run.", "outcome"),
		runSeconds:     prometheus.NewHistogram(histogram("run_duration_seconds", "Time that a run took, with making the program ready.")),
		waitSeconds:    prometheus.NewHistogramVec(histogram("queue_wait_seconds", "Time that a request waited for its turn."), []string{"queue"}),
		answers:        counter("cache_requests_total", "Answers by where they came from: hit, miss, or shared with an equal request under way.", "outcome"),
		limits:         counter("limits_total", "Times that a limit ended or refused something, by limit.", "limit"),
	}
	m.registry.MustRegister(
		collectors.NewGoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}),
		m.requests, m.requestSeconds, m.builds, m.buildSeconds, m.runs, m.runSeconds, m.waitSeconds, m.answers, m.limits,
	)
	for name, q := range queues {
		labels := prometheus.Labels{"queue": name}
		m.gauge("queue_waiting", "Requests that wait for their turn.", labels, func() float64 { return float64(q.Counts().Waiting) })
		m.gauge("queue_working", "Requests that are worked on.", labels, func() float64 { return float64(q.Counts().Working) })
		m.total("queue_refused_total", "Requests for which there was no place.", labels, func() float64 { return float64(q.Counts().Refused) })
	}
	m.gauge("cache_bytes", "Size of the answers that are kept.", nil, func() float64 { return float64(results.Counts().Bytes) })
	m.gauge("cache_entries", "Answers that are kept.", nil, func() float64 { return float64(results.Counts().Entries) })
	m.total("cache_evictions_total", "Answers that were given up for others.", nil, func() float64 { return float64(results.Counts().Evictions) })
	m.gauge("build_info", "1; the labels tell what runs.", prometheus.Labels{"version": ownVersion(), "goversion": goVersion}, func() float64 { return 1 })
	// What has not happened yet is 0, not absent: a rate can then be told from the first time on.
	for _, o := range []cache.Outcome{cache.Hit, cache.Miss, cache.Shared} {
		m.answers.WithLabelValues(string(o))
	}
	for _, l := range []limit{
		limitBuildTime, limitBuildMemory, limitBuildOutput, limitBuildOther, limitRunTime, limitRunMemory, limitRunOutput, limitRunStack,
		limitBody, limitQueue, limitSnippets,
	} {
		m.limits.WithLabelValues(string(l))
	}
	for _, vec := range []*prometheus.CounterVec{m.builds, m.runs} {
		for _, outcome := range []string{outcomeOK, outcomeFailed, outcomeError} {
			vec.WithLabelValues(outcome)
		}
	}
	return m
}

// secondsBuckets reach from a kept answer to a request that waited in a full queue.
var secondsBuckets = []float64{.001, .005, .025, .05, .1, .2, .3, .5, .75, 1, 2, 5, 10, 20, 60}

func (m *metrics) gauge(name, help string, labels prometheus.Labels, f func() float64) {
	m.registry.MustRegister(prometheus.NewGaugeFunc(prometheus.GaugeOpts{Namespace: namespace, Name: name, Help: help, ConstLabels: labels}, f))
}

func (m *metrics) total(name, help string, labels prometheus.Labels, f func() float64) {
	m.registry.MustRegister(prometheus.NewCounterFunc(prometheus.CounterOpts{Namespace: namespace, Name: name, Help: help, ConstLabels: labels}, f))
}

// ownVersion is that of this program, as far as its build tells.
func ownVersion() string {
	if info, ok := debug.ReadBuildInfo(); ok && info.Main.Version != "" {
		return info.Main.Version
	}
	return "(devel)"
}

// snippets adds how many programs are shared. Where that cannot be found out, -1 is shown.
func (m *metrics) snippets(store *snippets.Store) {
	stats := func() (programs, bytes float64) {
		ctx, cancel := context.WithTimeout(context.Background(), time.Second)
		defer cancel()
		stats, err := store.Stats(ctx)
		if err != nil {
			return -1, -1
		}
		return float64(stats.Count), float64(stats.Bytes)
	}
	m.gauge("snippets", "Shared programs that are stored.", nil, func() float64 { n, _ := stats(); return n })
	m.gauge("snippets_bytes", "Size of the shared programs that are stored.", nil, func() float64 { _, n := stats(); return n })
}

// request counts an answered request.
func (m *metrics) request(path string, status int, took time.Duration) {
	if m == nil {
		return
	}
	m.requests.WithLabelValues(path, strconv.Itoa(status)).Inc()
	m.requestSeconds.WithLabelValues(path).Observe(took.Seconds())
}

// turned counts a turn that was waited for.
func (m *metrics) turned(queue string, waited time.Duration) {
	if m != nil {
		m.waitSeconds.WithLabelValues(queue).Observe(waited.Seconds())
	}
}

// answered counts where an answer came from.
func (m *metrics) answered(o cache.Outcome) {
	if m != nil {
		m.answers.WithLabelValues(string(o)).Inc()
	}
}

// limit counts that a limit was hit. Those of builds and runs are counted by build and run, those of a request's size and of the
// store by the status of the answer.
func (m *metrics) limit(l limit) {
	if m != nil {
		m.limits.WithLabelValues(string(l)).Inc()
	}
}

// build counts a build: outcomeOK, outcomeFailed, outcomeError, or the limit that ended it.
func (m *metrics) build(outcome string, took time.Duration) {
	if m == nil {
		return
	}
	m.builds.WithLabelValues(outcome).Inc()
	m.buildSeconds.Observe(took.Seconds())
	if isLimit(outcome) {
		m.limit(limit(outcome))
	}
}

// run counts a run, as build does a build.
func (m *metrics) run(outcome string, took time.Duration) {
	if m == nil {
		return
	}
	m.runs.WithLabelValues(outcome).Inc()
	m.runSeconds.Observe(took.Seconds())
	if isLimit(outcome) {
		m.limit(limit(outcome))
	}
}

// built counts what a toolchain built since start.
func (m *metrics) built(start time.Time, b *verdict.Build, err error) {
	m.build(buildOutcome(b, err), time.Since(start))
}

// serve answers with the metrics in Prometheus' format.
func (m *metrics) serve() http.Handler {
	return promhttp.HandlerFor(m.registry, promhttp.HandlerOpts{Registry: m.registry, MaxRequestsInFlight: 4})
}

// serveMetrics shows the metrics to this machine alone: they tell how a class works, though not what it writes. Where they have
// a listener of their own they are not here.
func (s *server) serveMetrics(nothing http.HandlerFunc) http.HandlerFunc {
	if s.metrics == nil || s.config.metricsAddr != "" {
		return nothing
	}
	show := s.metrics.serve()
	return func(w http.ResponseWriter, r *http.Request) {
		if !isLocal(r) {
			nothing(w, r)
			return
		}
		http.NewResponseController(w).SetWriteDeadline(time.Now().Add(writeTime))
		show.ServeHTTP(w, r)
	}
}
