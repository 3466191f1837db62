package roomhttp

import (
	"context"
	"encoding/json"
	"net/http"
	"slices"
	"strconv"
	"time"

	"onthestack/runner/request"
	"onthestack/runner/room"
)

// A roomView is what somebody sees of a room: the instructor all participants, a participant their own row.
type roomView struct {
	Room      string    `json:"room"`
	Title     string    `json:"title"`
	Exercises []string  `json:"exercises"`
	Closed    []string  `json:"closed"`
	Deadline  time.Time `json:"deadline,omitzero"` // absent: none
	Ended     bool      `json:"ended"`
	Grace     time.Time `json:"grace,omitzero"`    // until when a room that has ended takes what waits in browsers
	NoJoins   bool      `json:"noJoins,omitempty"` // whether nobody else can join
	// Renumbered reports that the room is older than today's numbers of the exercises.
	Renumbered bool `json:"renumbered,omitempty"`
	// Now is for "3 minutes ago" on a page whose clock is wrong. No change is later.
	Now          time.Time         `json:"now"`
	Shared       []sharedView      `json:"shared,omitempty"`
	SeesCode     bool              `json:"seesCode,omitempty"` // whether the instructor sees the code of each last check
	Message      messageView       `json:"message,omitzero"`   // of the instructor to all
	Participants []participantView `json:"participants"`
	Presence     bool              `json:"presence,omitempty"`    // whether Connected is known; for the instructor
	Sites        sitesView         `json:"sites,omitzero"`        // for the instructor
	ReadOnly     bool              `json:"readOnly,omitempty"`    // whether the disk is full; for the instructor
	Removed      []removedView     `json:"removed,omitempty"`     // for the instructor
	HelperToken  string            `json:"helperToken,omitempty"` // for the instructor
	Helps        bool              `json:"helps,omitempty"`       // whether the caller is a helper
	Preview      bool              `json:"preview,omitempty"`     // whether the caller is the instructor, who tries the room
	Projected    projectedView     `json:"projected,omitzero"`    // for the instructor
	Question     *questionView     `json:"question,omitempty"`    // that the room is being asked
	Asked        []questionView    `json:"asked,omitempty"`       // that were put away; for the instructor
	// Regrading is, in the answer to "grade again", how many submissions are graded for that, or wait for it. A fast
	// server may have graded them when it answers.
	Regrading int `json:"regrading,omitempty"`
}

// A sitesView says at which addresses participants can open the site.
type sitesView struct {
	Others []string `json:"others,omitempty"` // URLs for other machines, the best first
	Public bool     `json:"public,omitempty"` // whether the operator gave the only one
	Local  bool     `json:"local,omitempty"`  // whether the server listens on loopback, so that there are none
}

// A removedView is a participant who was removed, and can be let back in.
type removedView struct {
	ID          string `json:"id"`
	Name        string `json:"name"`
	Submissions int    `json:"submissions"` // that are kept
}

// A sharedView is a submission that the instructor showed to the room. It does not say whose it is.
type sharedView struct {
	ID       string `json:"id"`
	Exercise string `json:"exercise"`
	Passed   bool   `json:"passed"`
}

// A participantView is the row of a participant.
type participantView struct {
	ID     string              `json:"id"`
	Name   string              `json:"name"`           // of a pair, both names
	People []personView        `json:"people"`         // one, or the two of a pair
	Hand   string              `json:"hand,omitempty"` // the exercise at which the hand is up, or ""
	Work   map[string]workView `json:"work"`           // by exercise; absent if it was not begun

	// Connected reports whether a page of the participant's is open and in view; see Presence.
	Connected bool      `json:"connected,omitempty"`
	Left      time.Time `json:"left,omitzero"` // since when none is; absent if the server does not know
	Joined    time.Time `json:"joined,omitzero"`
}

// A workView is what a participant did on one exercise.
type workView struct {
	room.Work
	Last  string `json:"last,omitempty"`  // the ID of the newest submission, or ""
	State string `json:"state,omitempty"` // of the newest submission: "queued", "graded", "failed", or ""
	// Of says what the stage and the figures are of: "check", a check in the page, "submission", a submission that was
	// graded, or "" if there are none.
	Of string `json:"of,omitempty"`
}

// viewFor returns what the caller sees of a room. The caller holds s.mu.
func (s *Server) viewFor(r *room.Room, c caller) roomView {
	now := s.Now()
	v := roomView{Room: r.Code, Title: r.Title, Exercises: r.Exercises, Closed: []string{}, Deadline: r.Deadline,
		Ended: r.Ended, NoJoins: r.NoJoins, Renumbered: r.Renumbered, Now: now, Participants: []participantView{},
		SeesCode: r.SeesCode, Message: messageOf(r)}
	if r.Ended {
		v.Grace = r.EndedAt.Add(room.Grace)
	}
	for _, id := range r.Shared {
		shared := r.Submissions[id]
		if shared == nil {
			continue // of a preview that is gone
		}
		v.Shared = append(v.Shared, sharedView{id, shared.Exercise, shared.Grade != nil && shared.Grade.Pass})
	}
	for _, id := range r.Exercises {
		if r.Closed[id] {
			v.Closed = append(v.Closed, id)
		}
	}
	v.viewQuestions(r, c)
	rows := []*room.Participant{}
	var ambiguous map[string]bool
	if c.seesAll() {
		sites := s.Sites()
		v.Sites = sitesView{sites.Others, sites.Public, sites.Local}
		v.ReadOnly, v.Helps, v.Projected = s.Journal.ReadOnly(), c.helper, projectedOf(r)
		if c.instructor {
			v.HelperToken = room.HelperToken(s.Instructor)
			ambiguous = r.Ambiguous()
		}
		v.Presence = !s.Cluster
		rows = r.Present()
		for _, p := range r.RemovedParticipants() {
			v.Removed = append(v.Removed, removedView{p.ID, r.SeatName(p), p.Submissions()})
		}
	} else if p := r.Participants[c.participant]; p != nil && !p.Removed {
		rows, v.Preview = append(rows, p), p.Preview
	}
	for _, p := range rows {
		row := participantView{ID: p.ID, Name: r.SeatName(p), People: people(r, p, c, ambiguous), Hand: p.Hand,
			Work: map[string]workView{}, Joined: p.Joined}
		if v.Presence {
			row.Connected, row.Left = s.connected(row.People)
		}
		for id, w := range p.Work {
			view := workView{Work: *w}
			view.Progress, view.Of = r.Shown(w)
			if view.Changed.After(now) {
				view.Changed = now // the server's clock was set back
			}
			if last := r.Submissions[w.Last()]; last != nil {
				view.Last, view.State = last.ID, last.State
			}
			row.Work[id] = view
		}
		v.Participants = append(v.Participants, row)
	}
	return v
}

func (s *Server) show(w http.ResponseWriter, r *http.Request, c caller) error {
	return s.showAfter(w, r, c, 0)
}

// showAfter is show after a change that has some submissions graded again.
func (s *Server) showAfter(w http.ResponseWriter, r *http.Request, c caller, regrading int) error {
	var v roomView
	if err := s.view(c.code, func(r *room.Room) error { v = s.viewFor(r, c); return nil }); err != nil {
		return err // deleted just now
	}
	if c.participant != "" {
		giveSeat(w, c.code, bearer(r), s.Secure(r)) // they may have come from another browser
	}
	v.Regrading = regrading
	return reply(w, http.StatusOK, v)
}

// debounce is the time for which a stream collects changes: a class that checks at once makes many in a second.
const debounce = 200 * time.Millisecond

// keepAlive is the interval between the comments in a stream. A page notices from their absence that its connection has
// died, which people in front of it should learn at once.
const keepAlive = 4 * time.Second

// isOther reports whether something has changed that is not in the journal: a machine that joins another network has
// other addresses, a disk becomes full, and a participant closes the page.
func (s *Server) isOther(sent roomView) bool {
	return !slices.Equal(s.Sites().Others, sent.Sites.Others) || s.Journal.ReadOnly() != sent.ReadOnly || s.isMoved(sent)
}

// Streams that are open at once, of one participant (in several tabs and browsers), of all instructors, and of all their
// helpers, who cannot keep the instructors from theirs.
const (
	maxStreams           = 8
	maxInstructorStreams = 50
)

// helpers is where the streams of helpers are counted among those of participants, whose IDs have capital letters.
const helpers = "helpers"

// enterStream counts a stream of the caller, until leave is called.
func (s *Server) enterStream(c caller) (leave func(), err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	select {
	case <-s.stopping:
		return nil, errStopping
	default:
	}
	limit, of := maxStreams, c.participant
	switch {
	case c.instructor:
		limit = maxInstructorStreams
	case c.helper:
		limit, of = maxInstructorStreams, helpers
	}
	if s.streams[of] >= limit {
		return nil, request.Refuse(http.StatusTooManyRequests, "this room is open in too many tabs: close some")
	}
	s.streams[of]++
	if c.participant != "" {
		s.enter(c.participant)
	}
	return func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		if c.participant != "" {
			s.leave(c.participant)
		}
		if s.streams[of]--; s.streams[of] == 0 {
			delete(s.streams, of)
		}
	}, nil
}

// events streams the state of a room as server-sent events. Each event has the whole state that the caller sees, so a
// client that missed some needs only the last one. The ID of an event is the number of the journal's last event in it;
// a client that reconnects with that number is sent nothing until something changes.
func (s *Server) events(w http.ResponseWriter, r *http.Request, c caller) error {
	leave, err := s.enterStream(c)
	if err != nil {
		return err
	}
	defer leave()
	seen, _ := strconv.ParseUint(r.Header.Get("Last-Event-ID"), 10, 64) // 0 for a new client
	// The server's time for reading a request would end the stream, too.
	http.NewResponseController(w).SetReadDeadline(time.Time{})
	ctx, left := context.WithCancelCause(r.Context())
	defer left(nil)
	stream := &request.Stream{W: w, Broken: left}
	alive := time.NewTicker(keepAlive)
	defer alive.Stop()
	stream.Comment("connected")
	var sent roomView // the last one
	for {
		s.mu.Lock()
		changed := s.changed
		s.mu.Unlock()
		var v roomView
		var sequence uint64
		err := s.view(c.code, func(r *room.Room) error {
			sequence = r.Sequence
			seated, ok := c.seated(r)
			if !ok {
				return errNoRoom
			}
			if sequence > seen {
				v = s.viewFor(r, seated)
			}
			return nil
		})
		if err != nil {
			stream.Send("", "gone", "{}")
			return nil
		}
		if sequence > seen {
			text, err := json.Marshal(v)
			if err != nil {
				return err
			}
			stream.Send(strconv.FormatUint(sequence, 10), "room", string(text))
			seen, sent = sequence, v
		}
		select {
		case <-ctx.Done():
			return nil
		case <-s.stopping:
			return nil // the page connects again
		case <-alive.C:
			stream.Comment("still here")
			if c.seesAll() && s.isOther(sent) {
				seen = 0
			}
		case <-changed:
			select {
			case <-time.After(debounce):
			case <-ctx.Done():
			case <-s.stopping:
			}
		}
	}
}
