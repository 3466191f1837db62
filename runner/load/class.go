package main

import (
	"cmp"
	"context"
	"fmt"
	"os"
	"slices"
	"time"

	"github.com/spf13/cobra"

	"onthestack/internal/bookdata"
)

// A plan is the size of the class and what it sends.
type plan struct {
	clients, presses int
	within           time.Duration // all presses begin in this time
	greedy           int           // requests that one more client sends at once, half-way
	seed             uint64
}

func classCommand(o *options) *cobra.Command {
	var p plan
	c := o.testCommand("load", "Starts a runner, sends it the requests of a class, and prints how long they wait",
		func(ctx context.Context, b *bench) error { return p.measure(ctx, b) })
	flags := c.Flags()
	flags.IntVar(&p.clients, "clients", 60, "`people` in the class")
	flags.IntVar(&p.presses, "presses", 5, "`times` that each presses Run or Check")
	flags.DurationVar(&p.within, "within", time.Minute, "`time` within which they do so")
	flags.IntVar(&p.greedy, "greedy", 50, "`requests` that one more client sends at once, half-way")
	flags.Uint64Var(&p.seed, "seed", 1, "`number` that seeds the random choices of the class")
	return c
}

// measure starts the runner, sends it all requests and stops it.
func (p plan) measure(ctx context.Context, b *bench) error {
	if err := cmp.Or(atLeast("--clients", p.clients, 1), atLeast("--presses", p.presses, 1),
		atLeast("--within", p.within, time.Second)); err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, p.within+answerTime+20*attackTime)
	defer cancel()
	server, err := b.start(ctx)
	if err != nil {
		return err
	}
	defer server.stop()
	requests := p.schedule(b.catalog)
	fmt.Fprintf(os.Stderr, "%d requests of %d clients begin within %v\n", len(requests), p.clients, p.within)
	f, wrong := p.figures(requests, sendAll(ctx, server.address, requests))
	lost, err := p.attackInTurn(ctx, server, b.catalog, f)
	if err == nil {
		err = server.finish(f)
	}
	if err != nil {
		return err
	}
	return b.finish(server.engine, f, slices.Concat(wrong, lost, missed(f)), nil)
}

// figures computes the figures of the class's answers, and lists what was lost or wrong.
func (p plan) figures(requests []request, answers []answer) (f *bookdata.Classroom, wrong []string) {
	f = &bookdata.Classroom{Clients: p.clients, Presses: p.presses, Within: p.within.Seconds()}
	for _, name := range []string{"run", "check", "hostile", "greedy"} {
		var some []answer
		var last time.Duration
		for i, r := range requests {
			if r.kind != name {
				continue
			}
			a := answers[i]
			some = append(some, a)
			last = max(last, r.at+a.took)
			if a.problem != "" {
				wrong = append(wrong, fmt.Sprintf("%s, client %d: %s", name, r.client, a.problem))
			}
		}
		if len(some) > 0 {
			k := kindFigures(name, some)
			k.Last = last.Round(100 * time.Millisecond).Seconds()
			f.Kinds = append(f.Kinds, k)
		}
		f.Took = max(f.Took, last.Seconds())
	}
	return f, wrong
}

func kindFigures(name string, answers []answer) bookdata.ClassroomKind {
	k := bookdata.ClassroomKind{Name: name, Requests: len(answers)}
	var times []time.Duration
	for _, a := range answers {
		k.Busy += a.busy
		times = append(times, a.took)
	}
	if slices.Sort(times); len(times) > 0 {
		k.P50, k.P95, k.Most = quantile(times, 0.5), quantile(times, 0.95), quantile(times, 1)
	}
	return k
}

// maxBeside is the longest time, in seconds, that a hello world or the sharing of a program may take, whatever
// another client sends.
const maxBeside = 3

// maxMemory is the limit on the memory of the runner and of everything that it starts, in bytes.
const maxMemory = 1536 << 20

// missed lists the goals that the figures miss.
func missed(f *bookdata.Classroom) (missed []string) {
	kinds := map[string]bookdata.ClassroomKind{}
	for _, k := range f.Kinds {
		kinds[k.Name] = k
	}
	switch {
	case f.All == 0:
		missed = append(missed, "the memory of processes cannot be read here: there is no /proc")
	case f.All > maxMemory:
		missed = append(missed, fmt.Sprintf("the runner took %d MiB, more than %d", f.All>>20, maxMemory>>20))
	}
	// A client that sends fifty requests at once must wait longer than the others, which send the same kind of request.
	if run, greedy := kinds["run"], kinds["greedy"]; greedy.Requests > 5 && run.P95 > greedy.P95 {
		missed = append(missed, fmt.Sprintf("the class waits for %.1f s (p95), and the greedy client for %.1f s: "+
			"slots are not shared fairly", run.P95, greedy.P95))
	}
	for _, k := range f.Beside {
		if k.Most > maxBeside {
			missed = append(missed, fmt.Sprintf("beside one client that sends %s, another waits for %.1f s, "+
				"more than %d", k.Name, k.Most, maxBeside))
		}
	}
	return missed
}

// quantile returns the smallest time that a share q of all times does not exceed, in seconds: in tenths or, below a
// second, in thousandths.
func quantile(sorted []time.Duration, q float64) float64 {
	i := max(0, int(q*float64(len(sorted))+0.999999)-1)
	unit := 100 * time.Millisecond
	if sorted[i] < time.Second {
		unit = time.Millisecond
	}
	return sorted[i].Round(unit).Seconds()
}
