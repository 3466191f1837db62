package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/spf13/cobra"
)

// A loopsPlan is how a participant waits for grades while others hand in solutions that never end.
type loopsPlan struct {
	solutions int // that are handed in beside each number of others
	rounds    int
}

// beside are the numbers of participants who hand in endless loops. The first is what the others are compared with, and
// the last is as many as a server of two slots grades at the same time.
var beside = []int{0, 1, 6, 8}

// maxRatio bounds how many times as long a participant waits beside endless loops, at the median.
const maxRatio = 3

func loopsCommand(o *options) *cobra.Command {
	var p loopsPlan
	c := o.testCommand("loops",
		"Starts a runner with a room, and compares how long a participant waits alone and beside endless loops",
		func(ctx context.Context, b *bench) error { return p.measure(ctx, b) })
	c.Flags().IntVar(&p.solutions, "solutions", 7, "`times` that the participant hands in beside each number of others")
	c.Flags().IntVar(&p.rounds, "rounds", 3, "`times` that all is measured")
	return c
}

func (p loopsPlan) measure(ctx context.Context, b *bench) error {
	if err := errors.Join(atLeast("--solutions", p.solutions, 1), atLeast("--rounds", p.rounds, 1)); err != nil {
		return err
	}
	s, err := b.start(ctx, "--room", "on", "--room-title", "")
	if err != nil {
		return err
	}
	defer s.stop()
	token, err := os.ReadFile(filepath.Join(b.dir, "instructor.token"))
	if err != nil {
		return err
	}
	var missed []string
	sent := 0
	for round := range p.rounds {
		medians := map[int]time.Duration{}
		for _, loopers := range beside {
			r := &loopsRoom{loadedRoom: loadedRoom{address: s.address, catalog: b.catalog, times: map[string][]answer{},
				instructor: strings.TrimSpace(string(token))}, sent: sent}
			took, err := r.measure(ctx, loopers, p.solutions)
			if err != nil {
				return fmt.Errorf("beside %d participants with endless loops: %w", loopers, err)
			}
			sent = r.sent
			if err := s.endLoops(ctx); err != nil {
				return err
			}
			medians[loopers] = median(took)
			fmt.Printf("round %d, beside %d: median %.2f s of %.2f to %.2f s, %.2f times as long as alone\n", round+1,
				loopers, medians[loopers].Seconds(), slices.Min(took).Seconds(), slices.Max(took).Seconds(),
				medians[loopers].Seconds()/medians[0].Seconds())
		}
		missed = append(missed, missedBesideLoops(medians)...)
	}
	if len(missed) > 0 {
		return errors.New(strings.Join(missed, "\n"))
	}
	return s.stop()
}

// endLoops waits until the loops that are still being graded have reached their time limit.
func (s *server) endLoops(ctx context.Context) (err error) {
	for range 10 {
		if err = s.idle(ctx); err == nil || ctx.Err() != nil {
			break
		}
	}
	return err
}

// missedBesideLoops lists the numbers of participants beside whom another waits too long; medians is by their number.
func missedBesideLoops(medians map[int]time.Duration) (missed []string) {
	for _, loopers := range beside[1:] {
		if ratio := float64(medians[loopers]) / float64(medians[0]); ratio > maxRatio {
			missed = append(missed, fmt.Sprintf("beside the endless loops of %d participants, another waits for %.1f s, %.1f "+
				"times as long as alone, more than %d", loopers, medians[loopers].Seconds(), ratio, maxRatio))
		}
	}
	return missed
}

func median(took []time.Duration) time.Duration {
	slices.Sort(took)
	return took[len(took)/2]
}

// A loopsRoom is a room in which some participants hand in endless loops.
type loopsRoom struct {
	loadedRoom

	mu   sync.Mutex
	sent int // submissions, in all rooms; each is another one
}

// measure has some participants hand in endless loops, as many as they may, for as long as another one hands in
// solutions, each after the last one was graded. It returns how long each took until it was graded.
func (r *loopsRoom) measure(ctx context.Context, loopers, solutions int) (took []time.Duration, err error) {
	if err := r.open(ctx); err != nil {
		return nil, err
	}
	fmt.Fprintf(os.Stderr, "%d participants hand in endless loops, and another hands in %d solutions\n", loopers,
		solutions)
	looping, stop := context.WithCancel(ctx)
	var all sync.WaitGroup
	defer all.Wait()
	defer stop()
	full := make(chan struct{}, loopers)
	for i := range loopers {
		m, err := r.join(ctx, 1+i)
		if err != nil {
			return nil, err
		}
		all.Go(func() { r.loop(looping, m, func() { full <- struct{}{} }) })
	}
	for range loopers {
		select {
		case <-full:
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
	ada, err := r.join(ctx, 0)
	if err != nil {
		return nil, err
	}
	all.Go(func() { r.watch(looping, ada.client, ada.token, &ada.page) })
	for range solutions {
		t, err := r.solve(ctx, ada)
		if err != nil {
			return nil, err
		}
		took = append(took, t)
	}
	stop()
	all.Wait()
	// Without the room, nobody waits for what is left of the loops.
	_, err = r.ask(ctx, client(0), "DELETE", "/"+r.code, r.instructor, "", nil, nil)
	return took, errors.Join(append([]error{err}, r.faults()...)...)
}

func (r *loopsRoom) faults() (faults []error) {
	for _, text := range r.wrong {
		faults = append(faults, errors.New(text))
	}
	return faults
}

func (r *loopsRoom) join(ctx context.Context, number int) (*member, error) {
	m := &member{room: &r.loadedRoom, client: client(1 + number), number: number}
	var joined struct{ Participant, Token string }
	_, err := r.ask(ctx, m.client, "POST", "/"+r.code+"/join", "", "",
		map[string]string{"name": fmt.Sprint("Ada ", number)}, &joined)
	m.id, m.token = joined.Participant, joined.Token
	return m, err
}

// next returns a number for a submission that no other has.
func (r *loopsRoom) next() int {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.sent++
	return r.sent
}

// loop hands in endless loops until ctx is done. It calls full once the participant has as many in the queue as the room
// lets them have.
func (r *loopsRoom) loop(ctx context.Context, m *member, full func()) {
	full = sync.OnceFunc(full)
	for ctx.Err() == nil {
		n := r.next()
		body := json.RawMessage(endlessCheck(r.catalog.Lookup("exercise6"), n).body)
		_, err := r.ask(ctx, m.client, "POST", "/"+r.code+"/submissions", m.token, fmt.Sprint(n), body, nil)
		if err != nil {
			full() // or ctx is done
			pause(ctx, 100*time.Millisecond)
		}
	}
}

// solve hands in a solution, and returns after which time the participant's page shows that it is graded.
func (r *loopsRoom) solve(ctx context.Context, m *member) (took time.Duration, err error) {
	e, n := r.catalog.Lookup("exercise6"), r.next()
	var submitted struct{ ID string }
	start := time.Now()
	_, err = r.ask(ctx, m.client, "POST", "/"+r.code+"/submissions", m.token, fmt.Sprint(n),
		json.RawMessage(check(e, n, true).body), &submitted)
	if err != nil {
		return 0, err
	}
	graded := make(chan time.Duration, 1)
	m.page.expect(m.id, e.ID, func(w work) bool { return w.isGraded(submitted.ID) },
		func(time.Duration) { graded <- time.Since(start) })
	select {
	case took = <-graded:
		return took, nil
	case <-ctx.Done():
		return 0, ctx.Err()
	}
}
