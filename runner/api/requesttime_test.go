package api

import (
	"context"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"onthestack/internal/execution"
	"onthestack/internal/harness/wire"
	"onthestack/internal/programs"
	"onthestack/internal/sandbox"
)

// briefly is a request time that ends while each part of the work is under way.
const briefly = 200 * time.Millisecond

// buildProgram builds a program, which the test may run until it ends.
func buildProgram(t *testing.T, p *progress, text string) (execution.Source, *execution.Build) {
	t.Helper()
	plan, problem := programs.Compiler{GOOS: "wasip1", Language: p.on.release.language}.Plan(text)
	if problem != "" {
		t.Fatal(problem)
	}
	src := plan.Source()
	built, err := p.Build(t.Context(), src)
	if err != nil || !built.OK {
		t.Fatalf("%v, %+v", err, built)
	}
	t.Cleanup(func() { built.Close() })
	return src, built
}

// TestRequestTime has the request time end each part of a request, whose own limits are out of reach.
func TestRequestTime(t *testing.T) {
	set := testSettings(1, 1)
	s := startedServer(t, set).prepared(t, "testing")
	close(s.warming.ended)
	limits := sandbox.Limits{Time: outOfReach, Ready: outOfReach, Output: 1 << 20, Memory: 256 << 20}
	s.settings.Program, s.settings.Check = limits, limits
	p := s.progress()
	endless := map[string]string{
		"main": "package main\n\nfunc main() { for {} }\n",
		"test": "package main\n\nimport \"testing\"\n\nfunc TestX(t *testing.T) { for {} }\n",
	}
	for name, text := range endless {
		src, built := buildProgram(t, p, text)
		p.transient.Store(false)
		ctx, _, cancel := withRequestTime(t.Context(), briefly)
		defer cancel()
		if name == "main" {
			ran, err := p.RunProgram(ctx, built.Binary)
			if err != nil || ran.Stop.Kind != execution.RequestTime || ran.Exit != 1 || len(ran.Events) != 1 ||
				ran.Events[0].Message != "timeout running program: building and running it took longer than 200ms\n" {
				t.Errorf("a program: %v, %+v", err, ran)
			}
		} else {
			program, err := p.Load(ctx, built.Binary)
			if err != nil {
				t.Fatal(err)
			}
			defer program.Close()
			run, err := program.Run(ctx, wire.Tests)
			if err != nil || run.Stop.String() != "ran longer than 200ms, its build included, and was stopped" {
				t.Errorf("a check's tests: %v, %+v", err, run)
			}
		}
		again, err := p.Build(ctx, src)
		if err != nil || again.OK || again.Stop.String() != "took longer than 200ms and was stopped" {
			t.Errorf("a build: %v, %+v", err, again)
		}
		if !p.transient.Load() {
			t.Error("the result is not transient")
		}
	}
	for name, value := range scrape(t, startServer(t, s.handler()).URL) {
		if strings.Contains(name, `outcome="error"`) && value != 0 {
			t.Errorf("%s is %v", name, value)
		}
	}
}

// TestProofRequestTimeKeepsOutput has the request time end programs that have printed something: one that runs inside the
// server, and one in a process of its own. Both keep their output.
func TestProofRequestTimeKeepsOutput(t *testing.T) {
	s, _ := slotServer(t, 1, 1)
	const program = "package main\n\nfunc main() {\n\tprintln(\"begun\")\n\tfor {\n\t}\n}\n"
	_, built := buildProgram(t, s.progress(), program)
	w := sandbox.Wasm{Limits: s.settings.Program}
	nobody := func() bool { return false }
	for name, run := range map[string]func(context.Context, *requestTimer) (*execution.Result, error){
		"inside": func(ctx context.Context, _ *requestTimer) (*execution.Result, error) {
			return w.RunCompiled(ctx, built.Binary)
		},
		"process": func(ctx context.Context, timer *requestTimer) (*execution.Result, error) {
			return runInProcess(ctx, timer, w, built.Binary, nil, nobody)
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			for limit := 2 * time.Second; ; limit *= 2 {
				ctx, timer, cancel := withRequestTime(t.Context(), limit)
				result, err := run(ctx, timer)
				cancel()
				if err != nil || result.Stop != timer.limit || len(result.Events) != 1 {
					t.Fatalf("%v, %+v", err, result)
				}
				switch said := result.Events[0].Message; said {
				case "begun\n" + timer.limit.Note():
					return
				case timer.limit.Note(): // a busy machine had not compiled the program by then
				default:
					t.Fatalf("the output is %q", said)
				}
			}
		})
	}
}

// TestRequestTimeOfAnAnswer sends a program whose build does not end to a server with a short request time.
func TestRequestTimeOfAnAnswer(t *testing.T) {
	set := testSettings(1, 1)
	set.RequestTime = time.Second
	s := startedServer(t, set)
	close(s.warming.ended)
	ts := startServer(t, s.handler())
	body := url.Values{"body": {endlessBuild()}}.Encode()
	for path, want := range map[string]string{
		"/vet":     "go vet took longer than 1s and was stopped",
		"/compile": programs.BuildTimeout,
	} {
		a := send(t, "POST", ts.URL+path, formType, body)
		if a.status != http.StatusOK || !strings.Contains(a.body, want) {
			t.Errorf("%s: status %d: %.500s; want %q", path, a.status, a.body, want)
		}
	}
}

// TestRequestTimeBeginsWarm tests that waiting for the standard library on a new machine is not part of the request
// time.
func TestRequestTimeBeginsWarm(t *testing.T) {
	s := idleServer(t, 1, 1)
	s.settings.RequestTime = time.Second
	bounded := func() bool {
		_, timer, end, err := s.begin(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		end()
		return timer.limit.Time == s.settings.RequestTime
	}
	if bounded() {
		t.Error("the request's time runs while the standard library is compiled")
	}
	close(s.warming.ended)
	if !bounded() {
		t.Error("a request has no bound")
	}
}
