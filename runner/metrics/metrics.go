// Package metrics has the runner's Prometheus metrics, which are served at /metrics. Package api counts in them.
//
// To add a metric, add a field to Metrics, make and register it in New, and add a method that counts. The results of
// builds and runs, and the limits that end them, are in results.go.
package metrics

import (
	"context"
	"errors"
	"net/http"
	"runtime/debug"
	"slices"
	"strconv"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/prometheus/client_golang/prometheus/promhttp"

	"onthestack/internal/execution"
	"onthestack/runner/queue"
	"onthestack/runner/store"
)

// Metrics are the metrics of one server. The methods of a nil *Metrics count nothing.
type Metrics struct {
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

// New returns the metrics of a server with these queues, by name, which store answers. goVersion is the release of Go
// that builds programs, such as "go1.26.8", or "" if there is none.
func New(goVersion string, queues map[string]*queue.Queue) *Metrics {
	counter := func(name, help string, labels ...string) *prometheus.CounterVec {
		return prometheus.NewCounterVec(prometheus.CounterOpts{Namespace: namespace, Name: name, Help: help}, labels)
	}
	seconds := func(name, help string) prometheus.HistogramOpts {
		return prometheus.HistogramOpts{Namespace: namespace, Name: name, Help: help, Buckets: secondsBuckets}
	}
	m := &Metrics{
		registry: prometheus.NewRegistry(),
		requests: counter("http_requests_total", "Requests answered, by route and status.", "path", "code"),
		requestSeconds: prometheus.NewHistogramVec(
			seconds("http_request_duration_seconds", "Time from a request to the end of its answer."),
			[]string{"path"}),
		builds: counter("builds_total", "Builds of programs and tests, with their vetting and escape reports: "+
			"ok, failed, canceled, error, or the limit that ended the build.", "outcome"),
		buildSeconds: prometheus.NewHistogram(seconds("build_duration_seconds", "Time that a build took.")),
		runs: counter("runs_total", "Programs and tests run: "+
			"ok, failed, canceled, error, or the limit that ended the run.", "outcome"),
		runSeconds: prometheus.NewHistogram(
			seconds("run_duration_seconds", "Time that a run took, with making the program ready.")),
		waitSeconds: prometheus.NewHistogramVec(
			seconds("queue_wait_seconds", "Time that a request waited for a slot."), []string{"queue"}),
		answers: counter("cache_requests_total", "Answers by where they came from: "+
			"hit, miss, or shared with an equal request under way.", "outcome"),
		limits: counter("limits_total", "Times that a limit ended or refused something, by limit.", "limit"),
	}
	m.registry.MustRegister(
		collectors.NewGoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}),
		m.requests, m.requestSeconds, m.builds, m.buildSeconds, m.runs, m.runSeconds, m.waitSeconds, m.answers,
		m.limits,
	)
	for name, q := range queues {
		labels := prometheus.Labels{"queue": name}
		m.gauge("queue_waiting", "Requests that wait for a slot.", labels,
			func() float64 { return float64(q.Counts().Waiting) })
		m.gauge("queue_working", "Requests that are worked on.", labels,
			func() float64 { return float64(q.Counts().Working) })
		m.gauge("queue_background", "Requests that are worked on in the background, without a slot.", labels,
			func() float64 { return float64(q.Counts().Background) })
		m.total("queue_refused_total", "Requests for which the queue had no room.", labels,
			func() float64 { return float64(q.Counts().Refused) })
		m.total("queue_preempted_total", "Requests that lost their slot to another request, and waited again.", labels,
			func() float64 { return float64(q.Counts().Preempted) })
	}
	stored := func() (c queue.CacheCounts) {
		for _, q := range queues {
			n := q.Stored()
			c.Bytes, c.Entries, c.Evictions = c.Bytes+n.Bytes, c.Entries+n.Entries, c.Evictions+n.Evictions
		}
		return c
	}
	m.gauge("cache_bytes", "Size of the cached answers.", nil, func() float64 { return float64(stored().Bytes) })
	m.gauge("cache_entries", "Cached answers.", nil, func() float64 { return float64(stored().Entries) })
	m.total("cache_evictions_total", "Answers removed from the cache to make room for others.", nil,
		func() float64 { return float64(stored().Evictions) })
	m.gauge("build_info", "Always 1; the labels are the versions of the runner and of Go.",
		prometheus.Labels{"version": ownVersion(), "goversion": goVersion}, func() float64 { return 1 })
	// Each label value is shown as 0 from the start: a rate then counts the first event too.
	for _, o := range []queue.CacheStatus{queue.Hit, queue.Miss, queue.Shared} {
		m.answers.WithLabelValues(string(o))
	}
	for _, l := range allLimits {
		m.limits.WithLabelValues(string(l))
	}
	for _, vec := range []*prometheus.CounterVec{m.builds, m.runs} {
		for _, o := range []result{resultOK, resultFailed, resultCanceled, resultError} {
			vec.WithLabelValues(string(o))
		}
	}
	return m
}

// secondsBuckets range from a cached answer to a request that waited in a full queue.
var secondsBuckets = []float64{.001, .005, .025, .05, .1, .2, .3, .5, .75, 1, 2, 5, 10, 20, 60}

// gauge registers a gauge whose value f returns.
func (m *Metrics) gauge(name, help string, labels prometheus.Labels, f func() float64) {
	m.registry.MustRegister(prometheus.NewGaugeFunc(
		prometheus.GaugeOpts{Namespace: namespace, Name: name, Help: help, ConstLabels: labels}, f))
}

// total registers a counter whose value f returns.
func (m *Metrics) total(name, help string, labels prometheus.Labels, f func() float64) {
	m.registry.MustRegister(prometheus.NewCounterFunc(
		prometheus.CounterOpts{Namespace: namespace, Name: name, Help: help, ConstLabels: labels}, f))
}

// ownVersion returns the version of this program, or "(devel)" if its build does not record one.
func ownVersion() string {
	if info, ok := debug.ReadBuildInfo(); ok && info.Main.Version != "" {
		return info.Main.Version
	}
	return "(devel)"
}

// Snippets adds metrics of a store of shared programs. They are -1 if the store cannot be read.
func (m *Metrics) Snippets(shared *store.Snippets) {
	stats := func() (programs, bytes float64) {
		ctx, cancel := context.WithTimeout(context.Background(), time.Second)
		defer cancel()
		stats, err := shared.Stats(ctx)
		if err != nil {
			return -1, -1
		}
		return float64(stats.Count), float64(stats.Bytes)
	}
	m.gauge("snippets", "Shared programs that are stored.", nil, func() float64 { n, _ := stats(); return n })
	m.gauge("snippets_bytes", "Size of the shared programs that are stored.", nil,
		func() float64 { _, n := stats(); return n })
	m.total("snippets_evicted_total", "Shared programs that were removed to make room for others.", nil,
		func() float64 { return float64(shared.Evicted()) })
}

// Handler serves the metrics in the text format of Prometheus.
func (m *Metrics) Handler() http.Handler {
	return promhttp.HandlerFor(m.registry, promhttp.HandlerOpts{Registry: m.registry, MaxRequestsInFlight: 4})
}

// Request counts an answered request under its route, and also counts a request that was too large.
func (m *Metrics) Request(route string, status int, took time.Duration) {
	if m == nil {
		return
	}
	m.requests.WithLabelValues(route, strconv.Itoa(status)).Inc()
	m.requestSeconds.WithLabelValues(route).Observe(took.Seconds())
	if status == http.StatusRequestEntityTooLarge {
		m.reached(limitBody)
	}
}

// NotShared counts a shared program that was not stored, under the limit that err, an error of package store, names.
func (m *Metrics) NotShared(err error) {
	var tooFast *store.TooFast
	switch {
	case m == nil:
	case errors.As(err, &tooFast):
		m.reached(limitSnippetsRate)
	case errors.Is(err, store.ErrClientFull):
		m.reached(limitSnippetsClient)
	case errors.Is(err, store.ErrFull):
		m.reached(limitSnippets)
	}
}

// Refused counts a request for which a queue had no room.
func (m *Metrics) Refused() {
	if m != nil {
		m.reached(limitQueue)
	}
}

// Unsent counts a request that was refused because its client does not read its answers.
func (m *Metrics) Unsent() {
	if m != nil {
		m.reached(limitUnsent)
	}
}

// Waited counts a slot that was granted in the named queue after a wait.
func (m *Metrics) Waited(queue string, waited time.Duration) {
	if m != nil {
		m.waitSeconds.WithLabelValues(queue).Observe(waited.Seconds())
	}
}

// Answer counts where the answer to a request came from.
func (m *Metrics) Answer(status queue.CacheStatus) {
	if m != nil {
		m.answers.WithLabelValues(string(status)).Inc()
	}
}

// Build counts a build or a run of vet that began at start, succeeded if ok is true, and was ended by stop.
func (m *Metrics) Build(start time.Time, ok bool, stop execution.Stop, err error) {
	if m != nil {
		m.ended(m.builds, m.buildSeconds, buildResult(ok, stop.Kind, err), start)
	}
}

// Program counts a run of a program that began at start.
func (m *Metrics) Program(start time.Time, run *execution.Result, err error) {
	if m != nil {
		m.ended(m.runs, m.runSeconds, programResult(run, err), start)
	}
}

// Tests counts a run of a check's tests that began at start.
func (m *Metrics) Tests(start time.Time, run *execution.TestRun, err error) {
	if m != nil {
		m.ended(m.runs, m.runSeconds, testsResult(run, err), start)
	}
}

// ended counts a build or a run, and the limit that ended it if there is one.
func (m *Metrics) ended(results *prometheus.CounterVec, seconds prometheus.Histogram, r result, start time.Time) {
	results.WithLabelValues(string(r)).Inc()
	seconds.Observe(time.Since(start).Seconds())
	if slices.Contains(allLimits, r) {
		m.reached(r)
	}
}

func (m *Metrics) reached(l result) { m.limits.WithLabelValues(string(l)).Inc() }
