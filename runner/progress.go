package main

import (
	"context"
	"encoding/json"
	"sync"

	"onthestack/runner/cache"
)

// Kinds of steps, which are the names of events in a stream.
const (
	stepQueued = "queued" // {"position":3}
	stepStage  = "stage"  // {"stage":"build"}
)

// A progress is how far a task has got. It is told to those that wait for the task's answer.
type progress struct {
	flight *cache.Flight

	mu   sync.Mutex
	over []cache.Step // the stages
}

type progressKey struct{}

func withFlight(ctx context.Context, f *cache.Flight) context.Context {
	return context.WithValue(ctx, progressKey{}, &progress{flight: f})
}

// underWay is the progress of the task that is done in ctx; nil, which can be told all the same, where nobody asks for one.
func underWay(ctx context.Context) *progress {
	p, _ := ctx.Value(progressKey{}).(*progress)
	return p
}

// queued tells that so many requests wait, this one among them.
func (p *progress) queued(position int) {
	p.step(stepQueued, map[string]int{"position": position})
}

// again tells that the task lost its slot, and that so many requests wait, this one among them. Its stages will be told anew.
func (p *progress) again(position int) {
	p.queued(position)
	p.mu.Lock()
	defer p.mu.Unlock()
	p.over = nil
}

// stage tells that a stage of a check is over.
func (p *progress) stage(name string) {
	if p == nil {
		return
	}
	step := p.step(stepStage, map[string]string{"stage": name})
	p.mu.Lock()
	defer p.mu.Unlock()
	p.over = append(p.over, step)
}

func (p *progress) step(kind string, what any) cache.Step {
	text, err := json.Marshal(what)
	if err != nil {
		text = []byte("{}") // numbers and strings are always encoded
	}
	step := cache.Step{Kind: kind, Text: string(text)}
	p.flight.Step(step)
	return step
}

// stages are the steps that a kept answer repeats. That it was waited for is not among them.
func (p *progress) stages() []cache.Step {
	if p == nil {
		return nil
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.over
}
