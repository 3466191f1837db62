// Package metrics has the runner's Prometheus metrics, which are served at /metrics. Package api counts in them.
//
// To add a metric, add a field to Metrics, make and register it in New, and add a method that counts.
package metrics

import (
	"cmp"
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
	"onthestack/runner/room/roomhttp"
	"onthestack/runner/store"
)

// Metrics are the metrics of one server.
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
		for _, o := range []Result{resultOK, resultFailed, resultCanceled, resultError} {
			vec.WithLabelValues(string(o))
		}
	}
	return m
}

// secondsBuckets range from a cached answer to a request that waited in a full queue.
var secondsBuckets = []float64{.001, .005, .025, .05, .1, .2, .3, .5, .75, 1, 2, 5, 10, 20, 60}

func (m *Metrics) gauge(name, help string, labels prometheus.Labels, f func() float64) {
	m.registry.MustRegister(prometheus.NewGaugeFunc(
		prometheus.GaugeOpts{Namespace: namespace, Name: name, Help: help, ConstLabels: labels}, f))
}

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

// Rooms adds metrics of the rooms of classes. Their size is -1 if the store cannot be read.
func (m *Metrics) Rooms(rooms *roomhttp.Server) {
	gauge := func(name, help string, value func(roomhttp.Stats) float64) {
		m.gauge(name, help, nil, func() float64 { return value(rooms.Stats()) })
	}
	gauge("rooms_open", "Rooms that have not ended.", func(s roomhttp.Stats) float64 { return float64(s.Open) })
	gauge("rooms_participants", "Participants of these rooms.",
		func(s roomhttp.Stats) float64 { return float64(s.Participants) })
	gauge("rooms_queued", "Submissions that wait to be graded.",
		func(s roomhttp.Stats) float64 { return float64(s.Queued) })
	gauge("rooms_failed", "Submissions that the server could not grade.",
		func(s roomhttp.Stats) float64 { return float64(s.Failed) })
	gauge("rooms_oldest_queued_seconds", "How long the oldest of the submissions that wait has waited.",
		func(s roomhttp.Stats) float64 { return s.Oldest.Seconds() })
	m.gauge("rooms_read_only", "1 if the disk is full, so that nothing is stored, and otherwise 0.", nil,
		func() float64 {
			if rooms.Journal.ReadOnly() {
				return 1
			}
			return 0
		})
	m.gauge("rooms_bytes", "Size of the rooms and of the verdicts.", nil, func() float64 {
		ctx, cancel := context.WithTimeout(context.Background(), time.Second)
		defer cancel()
		n, err := rooms.Journal.Bytes(ctx)
		if err != nil {
			return -1
		}
		return float64(n)
	})
}

// Handler serves the metrics in the text format of Prometheus.
func (m *Metrics) Handler() http.Handler {
	return promhttp.HandlerFor(m.registry, promhttp.HandlerOpts{Registry: m.registry, MaxRequestsInFlight: 4})
}

// Request counts an answered request under its route, and also counts a request that was too large.
func (m *Metrics) Request(route string, status int, took time.Duration) {
	m.requests.WithLabelValues(route, strconv.Itoa(status)).Inc()
	m.requestSeconds.WithLabelValues(route).Observe(took.Seconds())
	if status == http.StatusRequestEntityTooLarge {
		m.Reached(limitBody)
	}
}

// Reached counts that a limit ended or refused something.
func (m *Metrics) Reached(limit Result) { m.limits.WithLabelValues(string(limit)).Inc() }

// Waited counts a slot that was granted in the named queue after a wait.
func (m *Metrics) Waited(queue string, waited time.Duration) {
	m.waitSeconds.WithLabelValues(queue).Observe(waited.Seconds())
}

// Answer counts where the answer to a request came from.
func (m *Metrics) Answer(status queue.CacheStatus) { m.answers.WithLabelValues(string(status)).Inc() }

// Build counts a build or a run of vet that began at start, succeeded if ok is true, and was ended by stop.
func (m *Metrics) Build(start time.Time, ok bool, stop execution.Stop, err error) {
	m.ended(m.builds, m.buildSeconds, buildResult(ok, stop.Kind, err), start)
}

// Program counts a run of a program that began at start.
func (m *Metrics) Program(start time.Time, run *execution.Result, err error) {
	m.ended(m.runs, m.runSeconds, programResult(run, err), start)
}

// Tests counts a run of a check's tests that began at start.
func (m *Metrics) Tests(start time.Time, run *execution.TestRun, err error) {
	m.ended(m.runs, m.runSeconds, testsResult(run, err), start)
}

// ended counts a build or a run, and the limit that ended it if there is one.
func (m *Metrics) ended(results *prometheus.CounterVec, seconds prometheus.Histogram, r Result, start time.Time) {
	results.WithLabelValues(string(r)).Inc()
	seconds.Observe(time.Since(start).Seconds())
	if slices.Contains(allLimits, r) {
		m.Reached(r)
	}
}

// A Result says how a build or a run ended. It is one of the first four, or the limit that ended it. The limits are
// also the values of the label of limits_total, which counts refused requests too.
type Result string

const (
	resultOK     Result = "ok"
	resultFailed Result = "failed" // the program does not build, or its exit code is not 0
	resultError  Result = "error"  // a failure of the runner

	resultCanceled Result = "canceled" // the client left, or the slot went to another request

	limitBuildTime   Result = "build_time"   // elapsed time or processor time
	limitBuildMemory Result = "build_memory" // includes builds that the system killed
	limitBuildOutput Result = "build_output"
	limitBuildOther  Result = "build_other" // the size of files
	limitRunTime     Result = "run_time"    // of the program, or of compiling it for the sandbox
	limitRunMemory   Result = "run_memory"
	limitRunOutput   Result = "run_output"
	limitRunStack    Result = "run_stack"
	limitBody        Result = "body_size"
	LimitQueue       Result = "queue"
	LimitUnsent      Result = "unread"
	LimitSnippets    Result = "snippets" // the limits of the whole store

	LimitSnippetsClient Result = "snippets_client" // the limits of one client
	LimitSnippetsRate   Result = "snippets_rate"   // one client's new snippets in a minute
)

// allLimits are the limits that New shows as 0.
var allLimits = []Result{
	limitBuildTime, limitBuildMemory, limitBuildOutput, limitBuildOther, limitRunTime, limitRunMemory,
	limitRunOutput, limitRunStack,
	limitBody, LimitQueue, LimitUnsent, LimitSnippets, LimitSnippetsClient, LimitSnippetsRate,
}

// buildLimits and runLimits have the results of builds and of runs that a limit ended.
var (
	buildLimits = map[execution.Kind]Result{
		execution.BuildTime: limitBuildTime, execution.ProcessorTime: limitBuildTime,
		execution.Memory: limitBuildMemory, execution.Killed: limitBuildMemory, execution.Output: limitBuildOutput,
	}
	runLimits = map[execution.Kind]Result{execution.Output: limitRunOutput, execution.StackDepth: limitRunStack}
)

func buildResult(ok bool, stop execution.Kind, err error) Result {
	return ended(ok, stop, err, cmp.Or(buildLimits[stop], limitBuildOther))
}

// programResult returns the result of a run of a program. A program that gets no more memory ends by itself, with a
// message.
func programResult(run *execution.Result, err error) Result {
	if err != nil {
		return ended(false, 0, err, "")
	}
	for _, event := range run.Events {
		if run.Exit == 2 && event.Kind == "stderr" && execution.OutOfMemory([]byte(event.Message)) {
			return limitRunMemory
		}
	}
	return testsResult(&execution.TestRun{Exit: run.Exit, Stop: run.Stop}, nil)
}

func testsResult(run *execution.TestRun, err error) Result {
	if err != nil {
		return ended(false, 0, err, "")
	}
	return ended(run.Exit == 0, run.Stop.Kind, nil, cmp.Or(runLimits[run.Stop.Kind], limitRunTime))
}

// ended returns limit if stop is one, and otherwise the result of a build or a run that ended by itself.
func ended(ok bool, stop execution.Kind, err error, limit Result) Result {
	switch {
	case errors.Is(err, context.Canceled):
		return resultCanceled
	case err != nil:
		return resultError
	case stop != execution.NotStopped:
		return limit
	case ok:
		return resultOK
	}
	return resultFailed
}
