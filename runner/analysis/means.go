package analysis

import (
	"context"
	"errors"
	"fmt"
	"net/rpc"
	"sync"

	"onthestack/internal/execution"
	"onthestack/internal/programs"
	"onthestack/internal/verdict"
	"onthestack/runner/queue"
)

// A service is what a process can ask of its server. The methods with two parameters are called through net/rpc, some
// of them at the same time. If one fails, the request has failed: the process is ended.
type service struct {
	ctx      context.Context
	question Question
	means    Means
	end      func() // ends the process

	mu       sync.Mutex
	err      error // of the first method that failed
	answer   *Answer
	builds   map[string]*execution.Build // by binary
	programs []execution.TestProgram
}

// serviceName is the service's name in calls.
const serviceName = "Server"

type Run struct {
	Binary string
	Args   []string
}

// A TestRun is a run of a part of a test program that was loaded.
type TestRun struct {
	Program int
	Part    string
}

// Nothing is the parameter or the result of a method that has none.
type Nothing struct{}

func (s *service) close() {
	for _, p := range s.programs {
		p.Close()
	}
	for _, b := range s.builds {
		b.Close()
	}
}

// fail records the error of a method.
func (s *service) fail(err error) error {
	if err == nil {
		return nil
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.err == nil {
		s.err = err
		s.end()
	}
	return err
}

func (s *service) Question(_ Nothing, q *Question) error {
	*q = s.question
	return nil
}

func (s *service) Answer(a Answer, _ *Nothing) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.answer = &a
	return nil
}

// Fail ends the request with an error of the process.
func (s *service) Fail(message string, _ *Nothing) error {
	return s.fail(errors.New(message))
}

func (s *service) Tell(e queue.Event, _ *Nothing) error {
	s.means.Tell(e)
	return nil
}

func (s *service) Build(src execution.Source, to *execution.Build) error {
	return s.built(to)(s.means.Build(s.ctx, src))
}

func (s *service) Report(src execution.Source, to *execution.Build) error {
	return s.built(to)(s.means.Report(s.ctx, src))
}

func (s *service) BuildTest(src execution.Source, to *execution.Build) error {
	return s.built(to)(s.means.BuildTest(s.ctx, src))
}

// built keeps a build until the request ends.
func (s *service) built(to *execution.Build) func(*execution.Build, error) error {
	return func(b *execution.Build, err error) error {
		if err != nil {
			return s.fail(err)
		}
		*to = *b
		if !b.OK || b.Binary == "" {
			return s.fail(b.Close())
		}
		s.mu.Lock()
		defer s.mu.Unlock()
		s.builds[b.Binary] = b
		return nil
	}
}

func (s *service) HasHarness(src execution.Source, has *bool) error {
	*has = s.means.HasHarness(src)
	return nil
}

func (s *service) Vet(plan programs.Plan, problems *string) (err error) {
	*problems, err = s.means.Vet(s.ctx, plan)
	return s.fail(err)
}

func (s *service) RunProgram(r Run, to *execution.Result) error {
	if err := s.requireBuilt(r.Binary); err != nil {
		return err
	}
	return set(s, to)(s.means.RunProgram(s.ctx, r.Binary, r.Args...))
}

func (s *service) Record(binary string, to *execution.Recording) error {
	if err := s.requireBuilt(binary); err != nil {
		return err
	}
	return set(s, to)(s.means.Record(s.ctx, binary))
}

func (s *service) Load(binary string, number *int) error {
	if err := s.requireBuilt(binary); err != nil {
		return err
	}
	p, err := s.means.Load(s.ctx, binary)
	if err != nil {
		return s.fail(err)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	*number = len(s.programs)
	s.programs = append(s.programs, p)
	return nil
}

func (s *service) RunTests(r TestRun, to *execution.TestRun) error {
	s.mu.Lock()
	p := s.programs[r.Program]
	s.mu.Unlock()
	return set(s, to)(p.Run(s.ctx, r.Part))
}

// set sets the result of a method to what the means have returned.
func set[T any](s *service, to *T) func(*T, error) error {
	return func(result *T, err error) error {
		if err == nil {
			*to = *result
		}
		return s.fail(err)
	}
}

// requireBuilt returns an error for a binary that is not the result of one of the request's builds.
func (s *service) requireBuilt(binary string) error {
	s.mu.Lock()
	_, ok := s.builds[binary]
	s.mu.Unlock()
	if !ok {
		return s.fail(fmt.Errorf("the process of a request named a program that it did not build"))
	}
	return nil
}

// remote are the means of the process: it asks the server for each.
type remote struct {
	client *rpc.Client
	engine
}

func (r remote) call(method string, args, reply any) error {
	return r.client.Call(serviceName+"."+method, args, reply)
}

func (r remote) build(method string, src execution.Source) (*execution.Build, error) {
	b := &execution.Build{Close: func() error { return nil }} // the server removes it
	return b, r.call(method, src, b)
}

func (r remote) Build(_ context.Context, src execution.Source) (*execution.Build, error) {
	return r.build("Build", src)
}

func (r remote) Report(_ context.Context, src execution.Source) (*execution.Build, error) {
	return r.build("Report", src)
}

func (r remote) BuildTest(_ context.Context, src execution.Source) (*execution.Build, error) {
	return r.build("BuildTest", src)
}

func (r remote) HasHarness(src execution.Source) bool {
	var has bool
	return r.call("HasHarness", src, &has) == nil && has
}

func (r remote) Vet(_ context.Context, plan programs.Plan) (problems string, err error) {
	err = r.call("Vet", plan, &problems)
	return problems, err
}

func (r remote) RunProgram(_ context.Context, binary string, args ...string) (*execution.Result, error) {
	result := new(execution.Result)
	return result, r.call("RunProgram", Run{binary, args}, result)
}

func (r remote) Record(_ context.Context, binary string) (*execution.Recording, error) {
	recording := new(execution.Recording)
	return recording, r.call("Record", binary, recording)
}

func (r remote) Load(_ context.Context, binary string) (execution.TestProgram, error) {
	p := remoteProgram{remote: r}
	return p, r.call("Load", binary, &p.number)
}

// A remoteProgram is a test program that the server has loaded.
type remoteProgram struct {
	remote
	number int
}

func (p remoteProgram) Run(_ context.Context, part string) (*execution.TestRun, error) {
	run := new(execution.TestRun)
	return run, p.call("RunTests", TestRun{p.number, part}, run)
}

func (p remoteProgram) Close() error { return nil } // the server releases it

// An engine is the name of the engine that runs checks.
type engine string

func (e engine) Engine() string { return string(e) }

// Load implements verdict.Runner for a Checker that runs nothing.
func (e engine) Load(context.Context, string) (execution.TestProgram, error) {
	return nil, errors.New("this checker runs nothing")
}

var _ verdict.Runner = remote{}
