// Package roomhttp serves rooms over HTTP: the contract of /api/rooms, in JSON, and a stream of server-sent events.
//
// Every request that changes a room appends an event to the journal, waits until the event is on disk and until this
// server has applied it, and then answers. A server that restarts applies all events again.
package roomhttp

import (
	"cmp"
	"context"
	"errors"
	"log/slog"
	"net/http"
	"sync"
	"time"

	"onthestack/runner/address"
	"onthestack/runner/clients"
	"onthestack/runner/room"
	"onthestack/runner/store"
)

// Options are what a Server needs.
type Options struct {
	Journal    *store.Journal
	Exercises  []string                     // the exercises that a room may have, in the order of the workbook
	Title      func(exercise string) string // for a person; nil for the ID
	Instructor string                       // the instructor's token
	Client     func(*http.Request) string
	// Secure reports whether a client uses https. The cookie of its seat is then sent over https alone.
	Secure func(*http.Request) bool
	// Validate returns an error for files that cannot be a solution of the exercise, a *request.Refusal.
	Validate func(exercise string, files map[string]string) error
	// Known returns what a page can have reported about a check of an exercise; nil to take everything.
	Known func(exercise string, p room.Progress) room.Progress
	Sites func() address.Sites // the addresses of the site at this moment; nil if nobody needs them
	// Cluster is whether other servers have participants of the same rooms. A server then does not say who is connected:
	// it knows only who is connected to itself.
	Cluster bool
	Log     *slog.Logger
	Now     func() time.Time // the clock; nil for time.Now
}

// A Server answers requests about rooms. Use New to make one, and Run to have it follow the journal.
type Server struct {
	Options
	instructor []byte // hash of the instructor's token
	helper     []byte // hash of the token of their helpers

	mu      sync.Mutex
	rooms   map[string]*room.Room
	changed chan struct{} // closed and replaced when an event was applied
	ready   chan struct{} // closed when the events that the journal had at the start are applied

	reserved map[string]int // what is being stored, and not yet in rooms; see reserve

	codes   clients.Rates       // by client: who joined with a wrong code
	tokens  clients.Rates       // by client: requests with a wrong token, or of a room that does not exist
	joins   clients.Rates       // by client: participants who joined
	notes   clients.Rates       // by participant: checks, submissions and raised hands
	streams map[string]int      // by participant, or "" for instructors, or helpers: open streams of events
	present map[string]presence // by participant

	stopping chan struct{} // closed by EndStreams
}

// Wrong codes that a client may send, and wrong tokens: enough for the typing errors of a class of sixty behind one
// address, then one a second of each. They are counted apart, since pages that were left open in a room that was deleted
// send tokens by themselves, and must not keep the people behind their address from joining another room. Both tell
// whether there is a room. A code has 30 bits, so guessing one of ten rooms in both ways takes more than a year on
// average.
const (
	guessBurst    = 100
	guessInterval = time.Second
)

// Participants who may join from one address: a full lecture hall at once, and then one in some seconds. Most seats of
// a room stay free for others.
const (
	joinBurst    = 300
	joinInterval = 5 * time.Second
)

// Checks, submissions and raised hands of a participant: far more than somebody makes by hand. Their rate is bounded
// because events are kept as long as the room is.
const (
	noteBurst    = 30
	noteInterval = time.Second
)

// New returns a server for the rooms in the journal.
func New(o Options) *Server {
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.Sites == nil {
		o.Sites = func() address.Sites { return address.Sites{} }
	}
	return &Server{Options: o, instructor: room.Hash(room.Normalize(o.Instructor)),
		helper: room.Hash(room.HelperToken(o.Instructor)), rooms: map[string]*room.Room{},
		reserved: map[string]int{}, changed: make(chan struct{}),
		codes:   clients.Rates{Interval: guessInterval, Burst: guessBurst},
		tokens:  clients.Rates{Interval: guessInterval, Burst: guessBurst},
		joins:   clients.Rates{Interval: joinInterval, Burst: joinBurst},
		notes:   clients.Rates{Interval: noteInterval, Burst: noteBurst},
		streams: map[string]int{}, present: map[string]presence{}, ready: make(chan struct{}), stopping: make(chan struct{})}
}

// EndStreams ends all streams of events and refuses new ones, so that a server that stops does not wait for them. It is
// called once.
func (s *Server) EndStreams() {
	s.mu.Lock()
	defer s.mu.Unlock()
	close(s.stopping)
}

// Run applies the journal's events until ctx is done.
func (s *Server) Run(ctx context.Context) error {
	var settling sync.WaitGroup
	defer settling.Wait()
	return s.Journal.Follow(ctx, s.apply, func() {
		close(s.ready)
		settling.Go(func() { s.settleAll(ctx) })
	})
}

func (s *Server) apply(code string, sequence uint64, e room.Event) {
	s.mu.Lock()
	defer s.mu.Unlock()
	r := s.rooms[code]
	if r == nil {
		r = room.New(code)
		s.rooms[code] = r
	}
	r.Apply(sequence, e)
	close(s.changed)
	s.changed = make(chan struct{})
}

// appendTimeout bounds the time in which this server has to apply an event that is on disk.
const appendTimeout = 5 * time.Second

// append stores an event and waits until it is applied here, so that the next request of the same client sees it.
func (s *Server) append(ctx context.Context, code, id string, record store.Record) error {
	record.Time = s.Now()
	sequence, err := s.Journal.Append(ctx, code, id, record)
	if err != nil {
		return err
	}
	return s.applied(ctx, code, sequence)
}

// update stores the event that next returns for a room, unless it has no kind.
func (s *Server) update(ctx context.Context, code string, next nextEvent) error {
	var e room.Event
	err := s.view(code, func(r *room.Room) (err error) { e, err = next(r); return err })
	if err != nil || e.Kind == "" {
		return err
	}
	return s.append(ctx, code, string(e.Kind)+"/"+room.NewToken(), store.Record{Event: e})
}

// note is update for a caller whose events are bounded in their rate, because each is kept as long as the room is, and
// may go to all its pages.
func (s *Server) note(r *http.Request, c caller, next nextEvent) error {
	if !s.notes.Allow(cmp.Or(c.participant, "the instructor of "+c.code)) {
		return errTooFast
	}
	return s.update(r.Context(), c.code, next)
}

// tell is note for an event of the instructor's. It answers with the room as it is then.
func (s *Server) tell(w http.ResponseWriter, r *http.Request, c caller, next nextEvent) error {
	if err := s.note(r, c, next); err != nil {
		return err
	}
	return s.show(w, r, c)
}

// A nextEvent returns the event that a request adds to a room, or the refusal of the request. It is called while nothing
// changes the room.
type nextEvent func(*room.Room) (room.Event, error)

// always returns the function for an event that does not depend on the room.
func always(e room.Event) nextEvent { return func(*room.Room) (room.Event, error) { return e, nil } }

// applied waits until this server has applied an event that is on disk.
func (s *Server) applied(ctx context.Context, code string, sequence uint64) error {
	ctx, cancel := context.WithTimeout(ctx, appendTimeout)
	defer cancel()
	for {
		s.mu.Lock()
		r, changed := s.rooms[code], s.changed
		applied := r != nil && r.Sequence >= sequence
		s.mu.Unlock()
		if applied {
			return nil
		}
		select {
		case <-changed:
		case <-ctx.Done():
			return errors.New("the event is on disk, but this server has not read it yet")
		}
	}
}

// view calls f with a room while nothing changes it, and returns its error, or errNoRoom if there is no such room.
func (s *Server) view(code string, f func(*room.Room) error) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	r := s.rooms[code]
	if !exists(r) {
		return errNoRoom
	}
	return f(r)
}

func exists(r *room.Room) bool { return r != nil && r.Exists() }
