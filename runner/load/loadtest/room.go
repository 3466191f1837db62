package loadtest

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"time"

	"github.com/spf13/pflag"

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
	engine       string
}

// Goals of a room, in seconds: for the 95th percentile of each kind.
var roomGoals = []struct {
	kind string
	p95  float64
}{{"disk", 0.1}, {"graded", 5}, {"grid", 1}}

const roomUsage = `Starts a runner with a room, and measures what its participants and its instructor wait for.

Usage: load room [flags] RUNNER

`

// runRoom measures a room.
func runRoom(args []string, stdout, stderr io.Writer) int {
	p := roomPlan{}
	checks := "runner"
	flags := pflag.NewFlagSet("load room", pflag.ContinueOnError)
	flags.SortFlags = false
	flags.IntVar(&p.participants, "participants", 60, "`people` in the room")
	flags.StringVar(&checks, "checks", checks, "what checks: runner, or page for the participants' own pages")
	flags.DurationVar(&p.duration, "for", 10*time.Minute, "`time` for which they work")
	flags.DurationVar(&p.check, "check-every", time.Minute, "`time` between two checks of a participant")
	flags.DurationVar(&p.hand, "hand-in-every", 5*time.Minute, "`time` between two submissions of a participant")
	flags.Uint64Var(&p.seed, "seed", 1, "`number` that seeds the random choices of the room")
	flags.StringVar(&p.engine, "engine", "auto", "`engine` of checks: confined, wasm, or auto for the runner's choice")
	file := flags.String("json", "", "`file` for the figures, as JSON; it keeps the others")
	if code, done := parse(flags, roomUsage, args, stdout, stderr, func() error {
		p.pages = checks == "page"
		if checks != "page" && checks != "runner" {
			return fmt.Errorf("--checks %q: give runner or page", checks)
		}
		return p.valid(flags.NArg())
	}); done {
		return code
	}
	ctx, stop := interruptible(p.duration + answerTime)
	defer stop()
	f, wrong, err := classInRoom(ctx, p, flags.Arg(0), stderr)
	if err != nil {
		fmt.Fprintf(stderr, "load: %v\n", err)
		return exitFailed
	}
	showRoom(stdout, f)
	name := "room"
	if p.pages {
		name = "pages"
	}
	return finish(*file, name, f, wrong, missedInRoom(f), stderr)
}

// valid returns an error for a plan that would send more than one machine can take.
func (p roomPlan) valid(programs int) error {
	switch {
	case programs != 1:
		return errors.New("give one program to start")
	case p.participants < 1 || p.participants > 300:
		return fmt.Errorf("--participants %d: give 1 to 300, as many as may join from one address at once", p.participants)
	case p.duration <= 0 || p.duration > time.Hour:
		return fmt.Errorf("--for %v: give up to an hour", p.duration)
	case p.check < time.Second:
		return fmt.Errorf("--check-every %v: give at least 1s", p.check)
	case p.hand < p.check:
		return fmt.Errorf("--hand-in-every %v: give at least --check-every, because a check precedes a submission",
			p.hand)
	}
	return nil
}

// classInRoom starts a runner with a room, has the participants work in it, and stops it. wrong lists what was lost or
// wrong.
func classInRoom(ctx context.Context, p roomPlan, binary string, progress io.Writer) (
	f *bookdata.Classroom, wrong []string, err error,
) {
	catalog, err := exercise.Sealed()
	if err != nil {
		return nil, nil, err
	}
	state, err := os.MkdirTemp("", "onthestack-load-")
	if err != nil {
		return nil, nil, fmt.Errorf("make a folder for the room: %w", err)
	}
	defer os.RemoveAll(state)
	s, err := start(ctx, binary, "--engine", p.engine, "--room", "on", "--room-title", "", "--state", state)
	if err != nil {
		return nil, nil, err
	}
	defer s.kill()
	fmt.Fprintln(progress, "waiting until the runner is ready")
	if err := s.ready(ctx); err != nil {
		return nil, nil, err
	}
	token, err := os.ReadFile(filepath.Join(state, "instructor.token"))
	if err != nil {
		return nil, nil, err
	}
	r := &loadedRoom{plan: p, address: s.address, catalog: catalog, instructor: strings.TrimSpace(string(token)),
		times: map[string][]answer{}}
	if err := r.open(ctx); err != nil {
		return nil, nil, err
	}
	fmt.Fprintf(progress, "%d participants join, and work for %v\n", p.participants, p.duration)
	began := time.Now()
	if err := r.work(ctx); err != nil {
		return nil, nil, err
	}
	took := time.Since(began)
	if err := r.compareGrades(ctx); err != nil {
		return nil, nil, err
	}
	m, err := s.stop()
	if err != nil {
		return nil, nil, err
	}
	f = &bookdata.Classroom{
		Go: s.goVersion, Platform: runtime.GOOS + "/" + runtime.GOARCH, Cores: runtime.NumCPU(),
		Clients: p.participants, Within: p.duration.Seconds(), Took: took.Seconds(), Server: m.server, All: m.all,
		CheckEvery: p.check.Seconds(), HandInEvery: p.hand.Seconds(),
	}
	for _, name := range []string{"check", "disk", "graded", "grid"} {
		if len(r.times[name]) > 0 {
			f.Kinds = append(f.Kinds, kindFigures(name, r.times[name]))
		}
	}
	return f, r.wrong, nil
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

func showRoom(out io.Writer, f *bookdata.Classroom) {
	fmt.Fprintf(out, "%d participants for %s, on %d cores (%s, %s); everything graded after %s\n\n",
		f.Clients, bookdata.FormatSeconds(f.Within), f.Cores, f.Go, f.Platform, bookdata.FormatSeconds(f.Took))
	table(out, "kind", f.Kinds)
	fmt.Fprintf(out, "\ncheck: pressed → verdict; disk: handed in → on disk; graded: handed in → graded, as the "+
		"participant's page hears it;\ngrid: on disk → in the instructor's grid\n")
	fmt.Fprintf(out, "\nmemory at most: %d MiB, %d MiB with compilers and linkers\n", f.Server>>20, f.All>>20)
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

// open opens the room.
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
	var book struct {
		Grades []struct {
			Attempts int
			Passed   bool
			Best     string
		}
	}
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
