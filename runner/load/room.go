package main

import (
	"cmp"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"github.com/spf13/cobra"

	"onthestack/internal/bookdata"
	"onthestack/internal/exercise"
)

// A roomPlan is the size of a room, and what its participants do.
type roomPlan struct {
	participants int
	pages        bool          // they check in their own pages; otherwise the runner checks
	duration     time.Duration // they do so for this time
	check        time.Duration // each checks this often,
	hand         time.Duration // and hands in this often
	seed         uint64
}

// Goals of a room, in seconds: for the 95th percentile of each kind.
var roomGoals = []struct {
	kind string
	p95  float64
}{{"disk", 0.1}, {"graded", 5}, {"grid", 1}}

func roomCommand(o *options) *cobra.Command {
	var p roomPlan
	checks := "runner"
	c := o.testCommand("room",
		"Starts a runner with a room, and measures what its participants and its instructor wait for",
		func(ctx context.Context, b *bench) error {
			if checks != "page" && checks != "runner" {
				return fmt.Errorf("--checks %q: give runner or page", checks)
			}
			p.pages = checks == "page"
			return p.measure(ctx, b)
		})
	flags := c.Flags()
	flags.IntVar(&p.participants, "participants", 60, "`people` in the room, at most 300")
	flags.StringVar(&checks, "checks", checks, "what checks: runner, or page for the participants' own pages")
	flags.DurationVar(&p.duration, "for", 10*time.Minute, "`time` for which they work")
	flags.DurationVar(&p.check, "check-every", time.Minute, "`time` between two checks of a participant")
	flags.DurationVar(&p.hand, "hand-in-every", 5*time.Minute,
		"`time` between two submissions of a participant, at least --check-every")
	flags.Uint64Var(&p.seed, "seed", 1, "`number` that seeds the random choices of the room")
	return c
}

// measure starts a runner with a room, has the participants work in it, and stops it.
func (p roomPlan) measure(ctx context.Context, b *bench) error {
	// A check precedes a submission.
	if err := cmp.Or(atLeast("--check-every", p.check, time.Second),
		atLeast("--hand-in-every", p.hand, p.check)); err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, p.duration+answerTime)
	defer cancel()
	s, err := b.start(ctx, "--room", "on", "--room-title", "")
	if err != nil {
		return err
	}
	defer s.stop()
	token, err := os.ReadFile(filepath.Join(b.dir, "instructor.token"))
	if err != nil {
		return err
	}
	r := &loadedRoom{plan: p, address: s.address, catalog: b.catalog, instructor: strings.TrimSpace(string(token)),
		times: map[string][]answer{}}
	if err := r.open(ctx); err != nil {
		return err
	}
	fmt.Fprintf(os.Stderr, "%d participants join, and work for %v\n", p.participants, p.duration)
	began := time.Now()
	if err := r.work(ctx); err != nil {
		return err
	}
	f := &bookdata.Classroom{Clients: p.participants, Within: p.duration.Seconds(), Took: time.Since(began).Seconds(),
		CheckEvery: p.check.Seconds(), HandInEvery: p.hand.Seconds()}
	if err := cmp.Or(r.compareGrades(ctx), s.finish(f)); err != nil {
		return err
	}
	for _, name := range []string{"check", "disk", "graded", "grid"} {
		if len(r.times[name]) > 0 {
			f.Kinds = append(f.Kinds, kindFigures(name, r.times[name]))
		}
	}
	name := "room"
	if p.pages {
		name = "pages"
	}
	return b.finish(name, f, r.wrong, missedInRoom(f))
}

// missedInRoom lists the goals that the figures of a room miss.
func missedInRoom(f *bookdata.Classroom) (missed []string) {
	for _, goal := range roomGoals {
		for _, k := range f.Kinds {
			if k.Name == goal.kind && k.P95 > goal.p95 {
				missed = append(missed, fmt.Sprintf("%s takes %s (p95), more than %s", goal.kind,
					bookdata.FormatSeconds(k.P95), bookdata.FormatSeconds(goal.p95)))
			}
		}
	}
	return missed
}

// A loadedRoom is the room of a runner under load.
type loadedRoom struct {
	plan       roomPlan
	address    string
	catalog    exercise.Catalog
	instructor string
	code       string
	grid       gridView // by the instructor

	mu    sync.Mutex
	times map[string][]answer // by kind
	wrong []string
	total int // submissions
}

func (r *loadedRoom) note(kind string, took time.Duration, busy int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.times[kind] = append(r.times[kind], answer{took: took, busy: busy})
}

func (r *loadedRoom) fault(format string, args ...any) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.wrong = append(r.wrong, fmt.Sprintf(format, args...))
}

func (r *loadedRoom) open(ctx context.Context) error {
	var ids []string
	for _, e := range r.catalog {
		ids = append(ids, e.ID)
	}
	var opened struct{ Room string }
	_, err := r.ask(ctx, client(0), "POST", "", r.instructor, "", map[string]any{"title": "Load", "exercises": ids},
		&opened)
	r.code = opened.Room
	return err
}

// work has all participants join and work, and returns once all that they handed in is graded.
func (r *loadedRoom) work(ctx context.Context) error {
	watching, stop := context.WithCancel(ctx)
	var watchers, all sync.WaitGroup
	defer watchers.Wait()
	defer stop()
	watchers.Go(func() { r.watch(watching, client(0), r.instructor, &r.grid) })
	var members []*member
	for i := range r.plan.participants {
		m := &member{room: r, client: client(1 + i%200), number: i}
		var joined struct{ Participant, Token string }
		named := map[string]string{"name": fmt.Sprint("Ada ", i)}
		if _, err := r.ask(ctx, m.client, "POST", "/"+r.code+"/join", "", "", named, &joined); err != nil {
			return err
		}
		m.id, m.token = joined.Participant, joined.Token
		watchers.Go(func() { r.watch(watching, m.client, m.token, &m.page) })
		members = append(members, m)
	}
	for _, m := range members {
		all.Go(func() { m.work(ctx) })
	}
	all.Wait()
	return ctx.Err()
}

// compareGrades compares the gradebook with what was handed in.
func (r *loadedRoom) compareGrades(ctx context.Context) error {
	var book struct{ Grades []struct{ Passed bool } }
	if _, err := r.ask(ctx, client(0), "GET", "/"+r.code+"/grades.json", r.instructor, "", nil, &book); err != nil {
		return err
	}
	graded := 0
	for _, row := range book.Grades {
		if row.Passed {
			graded++
		}
	}
	if graded != r.total {
		r.fault("%d solutions were acknowledged, and the gradebook has %d exercises that are passed", r.total, graded)
	}
	return nil
}
