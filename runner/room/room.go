// Package room has the state of a class: a room with its exercises, its participants, and what they handed in.
//
// A room is an event log. Each change is an [Event]; the state is a [Room], to which the events are applied in the
// order in which the journal stored them. The package does no I/O: package store stores the events, and every
// server of a cluster applies the same events and so comes to the same state.
package room

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"
)

// Limits of a room. They bound the memory that a room takes, which is kept as long as the room exists.
const (
	MaxTitle        = 100      // characters
	MaxName         = 60       // characters of a participant's name
	MaxIdentifier   = 100      // characters of a participant's identifier
	MaxParticipants = 1000     // participants of a room, including removed ones who did something
	MaxSubmissions  = 200      // submissions of a participant for an exercise
	MaxAttempts     = 2000     // checks and submissions of a participant for an exercise
	MaxHands        = 200      // times that a participant raises a hand
	MaxBytes        = 16 << 20 // of what is stored of a participant; see Stored
	MaxRooms        = 1000     // rooms of a server
)

// Grace is how long a room that has ended takes submissions: what was handed in before may wait in the browser of
// somebody whose connection was lost.
const Grace = 15 * time.Minute

// A Room is the state of a room. Its zero value is a room before its first event.
type Room struct {
	Code      string
	Title     string
	Exercises []string        // in the order of the lesson
	Closed    map[string]bool // exercises that take no submissions
	Deadline  time.Time       // later submissions are marked; zero if there is none
	Ended     bool
	EndedAt   time.Time // if it has ended
	Deleted   bool      // whether it was deleted; see Exists
	NoJoins   bool      // whether nobody else can join
	Shared    []string  // submissions that the instructor showed to the room
	SeesCode  bool      // whether the instructor sees the code of each participant's last check
	Projected *Code     // what the instructor projects without its name, or nil
	Message   *Message  // the instructor's message to all, or nil
	// Renumbered reports that an event is older than today's numbers of the exercises, which the state has.
	Renumbered bool

	Participants map[string]*Participant // by ID
	Submissions  map[string]*Submission  // by ID
	Questions    []*Question             // that the room was asked, in that order

	Sequence uint64    // the journal's number of the last event that was applied
	Time     time.Time // the latest time of an event

	opened bool // whether an event has said which exercises there are; see salvage
}

// A Participant is somebody who joined a room.
type Participant struct {
	ID        string
	Name      string // unique in the room: a second Ada is "Ada (2)"
	TokenHash []byte
	Removed   bool
	Joined    time.Time
	Seat
	Hand   string // the exercise at which the participant raised a hand, or ""
	Raised time.Time
	Hands  int              // how often they have raised a hand
	Bytes  int              // of their submissions and of the first verdict on each; see Stored
	Work   map[string]*Work // by exercise
}

// Work is what a participant did on one exercise.
type Work struct {
	Progress           // of the last check
	Code     string    `json:"code,omitempty"`     // the ID of the code of the last check that the instructor sees, or ""
	Coder    string    `json:"-"`                  // the ID of the participant who sent that code: of a pair, or before a merge
	Check    string    `json:"-"`                  // the page's ID of that check, or ""
	Newer    bool      `json:"-"`                  // whether that check came after the last submission, and not with it
	Passed   bool      `json:"passed"`             // whether the submission that counts passed
	Late     bool      `json:"late,omitempty"`     // whether it came after the deadline or the room's end
	AfterEnd bool      `json:"afterEnd,omitempty"` // whether it is late because the room had ended
	Attempts int       `json:"attempts"`
	Reports  int       `json:"-"`                // checks that were reported, also those that are no further attempt
	Size     int       `json:"-"`                // of the code, in bytes
	Same     int       `json:"same,omitempty"`   // checks in a row that ended at the same failing test; see Work.failed
	Changed  time.Time `json:"changed,omitzero"` // the time of the last check, submission or opened hint
	Best     string    `json:"best,omitempty"`   // the ID of the submission that counts, or ""; see Room.Counting
	All      []string  `json:"-"`                // submissions, oldest first
}

// Last returns the newest submission, or "".
func (w *Work) Last() string {
	if len(w.All) == 0 {
		return ""
	}
	return w.All[len(w.All)-1]
}

// The states of a submission.
const (
	StateQueued = "queued"
	StateGraded = "graded"
	StateFailed = "failed"
)

// A Submission is what a participant handed in once.
type Submission struct {
	ID          string
	Participant string   // who handed it in
	For         []string // the participants for whom it counts: also the partner, and into whose row theirs was merged
	Exercise    string
	Time        time.Time
	Check       string // the page's ID of the check of the same code, or ""
	Late        bool
	AfterEnd    bool      // whether it is late because the room had ended
	State       string    // StateQueued, StateGraded or StateFailed
	Queued      time.Time // since when it waits to be graded, or last waited
	Regrade     int
	Grade       *Grade // the grade of the last grading that ended; nil before
	Graded      int    // the Regrade of that grading
	Why         string // why grading failed, where State is StateFailed

	sequence uint64 // of the event by which it was handed in
}

// New returns a room without events.
func New(code string) *Room {
	return &Room{Code: code, Closed: map[string]bool{}, Participants: map[string]*Participant{},
		Submissions: map[string]*Submission{}}
}

// Clone returns a copy that later events do not change. Grades are shared: they never change.
func (r *Room) Clone() *Room {
	c := *r
	c.Closed, c.Questions = maps.Clone(r.Closed), cloneQuestions(r.Questions)
	c.Participants, c.Submissions = map[string]*Participant{}, map[string]*Submission{}
	for id, p := range r.Participants {
		participant := *p
		participant.Work = map[string]*Work{}
		for exercise, w := range p.Work {
			work := *w
			work.All = slices.Clone(w.All)
			participant.Work[exercise] = &work
		}
		c.Participants[id] = &participant
	}
	for id, s := range r.Submissions {
		submission := *s
		submission.For = slices.Clone(s.For)
		c.Submissions[id] = &submission
	}
	return &c
}

// Apply adds an event to the state. sequence is the journal's number of the event. An event that was applied before, or
// that names a participant or a submission that the room does not have, changes nothing: the journal may deliver an
// event twice.
func (r *Room) Apply(sequence uint64, e Event) {
	if sequence <= r.Sequence {
		return
	}
	r.Sequence = sequence
	r.Renumbered = r.Renumbered || e.Numbering != Numbering
	e = e.Renumbered()
	e.Time = r.at(e.Time)
	r.salvage(e)
	switch e.Kind {
	case Created:
		r.Title, r.Exercises, r.Deadline, r.SeesCode = e.Title, e.Exercises, e.Deadline, e.SeesCode
		r.opened, r.Deleted = true, false
	case Opened:
		delete(r.Closed, e.Exercise)
	case Closed:
		r.Closed[e.Exercise] = true
	case Due:
		r.Deadline = e.Deadline
	case Retitled:
		r.Title = e.Title
	case Assigned:
		r.assign(e.Exercises)
	case Ended:
		if !r.Ended {
			r.Ended, r.EndedAt, r.Projected = true, e.Time, nil
		}
	case JoinsClosed, JoinsOpened:
		r.NoJoins = e.Kind == JoinsClosed
	case Reopened:
		r.Ended, r.EndedAt = false, time.Time{}
	case Deleted:
		empty := New(r.Code)
		empty.Sequence, empty.Time, empty.Deleted = r.Sequence, r.Time, true
		*r = *empty
	case Joined:
		r.join(e)
	case Shared:
		if r.Submissions[e.Submission] != nil && !slices.Contains(r.Shared, e.Submission) {
			r.Shared = append(r.Shared, e.Submission)
		}
	case Unshared:
		r.Shared = slices.DeleteFunc(slices.Clone(r.Shared), func(id string) bool { return id == e.Submission })
	case Renamed, Rekeyed, Merged, Parted:
		if p := r.Row(e.Participant); p != nil {
			r.reseat(p, e)
		}
	case Asked, Answered, AnswersClosed, AnswerShown, PutAway:
		r.applyQuestion(e)
	case Projected, Unprojected:
		r.project(e)
	case Messaged:
		r.message(e)
	case Removed, Restored, Checked, Hinted, Hand, Submitted:
		for _, p := range r.together(e.Participant) {
			r.applyTo(p, e)
		}
	case Graded, Failed, Regraded:
		if s := r.Submissions[e.Submission]; s != nil && e.Regrade >= s.Regrade {
			r.grade(s, e)
		}
	}
}

func (r *Room) join(e Event) {
	if r.Participants[e.Participant] != nil {
		return
	}
	if e.Preview {
		r.preview(e)
		return
	}
	p := r.add(Person{e.Participant, e.Name, e.Identifier, e.TokenHash}, e)
	if e.Partner != nil && r.Participants[e.Partner.ID] == nil {
		second := r.add(*e.Partner, e)
		p.Partner, second.Partner, second.Second = second.ID, p.ID, true
	}
}

func (r *Room) add(who Person, joined Event) *Participant {
	p := &Participant{ID: who.ID, Name: r.uniqueName(who.Name, joined, nil), TokenHash: who.TokenHash, Joined: joined.Time,
		Seat: Seat{Identifier: who.Identifier}, Work: map[string]*Work{}}
	r.Participants[who.ID] = p
	return p
}

// uniqueName returns a name for a participant, nil for a new one: name, with a number if another participant has it, or
// one that looks the same. Every server finds the same one, since all apply the same events; e is the one that gives the
// name.
func (r *Room) uniqueName(name string, e Event, who *Participant) string {
	same := strings.ToLower
	if e.Alike {
		same = appearance
	}
	taken := map[string]bool{}
	for _, p := range r.Participants {
		if p != who && p.Merged == "" && !p.Preview {
			taken[same(p.Name)] = true
		}
	}
	unique := name
	for n := 2; taken[same(unique)]; n++ {
		unique = fmt.Sprintf("%s (%d)", name, n)
	}
	return unique
}

func (r *Room) applyTo(p *Participant, e Event) {
	switch e.Kind {
	case Removed:
		p.Removed, p.Hand = true, ""
		if r.Projected != nil && r.Projected.Participant == p.ID {
			r.Projected = nil
		}
	case Restored:
		p.Removed = false
	case Hand:
		if p.Hand = ""; e.Raised {
			p.Hand, p.Raised = e.Exercise, e.Time
			p.Hands++
		}
	case Checked:
		w := p.work(e.Exercise)
		w.Reports++
		if !r.counted(w, e.Check) {
			w.Attempts++
		}
		last := r.Submissions[w.Last()]
		w.Changed, w.Check, w.Newer = e.Time, e.Check, last == nil || e.Check == "" || last.Check != e.Check
		if e.Progress != nil {
			w.failed(e.Progress.Test)
			hints := w.Hints
			w.Progress = *e.Progress
			w.Hints = max(w.Hints, hints)
		}
		if e.Code != "" {
			w.Code, w.Coder, w.Size = e.Code, e.Participant, e.Bytes
		}
	case Hinted:
		w := p.work(e.Exercise)
		if e.Progress != nil && e.Progress.Hints > w.Hints {
			w.Hints, w.Changed = e.Progress.Hints, e.Time
		}
	case Submitted:
		s := r.Submissions[e.Submission]
		if s == nil {
			s = &Submission{ID: e.Submission, Participant: p.ID, Exercise: e.Exercise, Time: e.Time, Check: e.Check,
				Late: e.Late, AfterEnd: e.Late && r.Ended, State: StateQueued, Queued: e.Time, sequence: r.Sequence}
			r.Submissions[e.Submission] = s
		} else if s.sequence != r.Sequence {
			return // it is stored twice
		}
		s.For = append(s.For, p.ID)
		p.Bytes += e.Bytes
		w := p.work(e.Exercise)
		if !r.counted(w, e.Check) {
			w.Attempts++
		}
		w.Changed, w.Newer, w.All = e.Time, false, append(w.All, e.Submission)
	}
}

// grade applies the outcome of a grading. Of a submission that was regraded, the outcome of an earlier grading is
// ignored: the caller has compared the numbers.
func (r *Room) grade(s *Submission, e Event) {
	if e.Kind == Regraded {
		s.Regrade, s.State, s.Why, s.Queued = e.Regrade, StateQueued, "", e.Time
		return
	}
	if e.Regrade == s.Regrade && s.State == StateGraded {
		return // a submission is graded once
	}
	if e.Kind == Failed {
		s.State, s.Why = StateFailed, e.Why
		return
	}
	s.State, s.Grade, s.Graded, s.Why, s.Regrade = StateGraded, e.Grade, e.Regrade, "", e.Regrade
	for _, id := range s.For {
		p := r.Participants[id]
		if e.Regrade == 0 { // it is not the participant who has it graded again
			p.Bytes += e.Bytes
		}
		if r.recount(p, s.Exercise); s.Grade.Pass {
			p.lower(s)
		}
	}
}

// recount finds out which submission counts for somebody.
func (r *Room) recount(p *Participant, exercise string) {
	if best := r.Counting(p.ID, exercise); best != nil {
		w := p.work(exercise)
		w.Best, w.Passed, w.Late, w.AfterEnd = best.ID, best.Grade.Pass, best.Late, best.AfterEnd
	}
}

func (p *Participant) work(exercise string) *Work {
	w := p.Work[exercise]
	if w == nil {
		w = &Work{}
		p.Work[exercise] = w
	}
	return w
}

// ByParticipant returns a participant's submissions for an exercise, oldest first.
func (r *Room) ByParticipant(participant, exercise string) (all []*Submission) {
	p := r.Participants[participant]
	if p == nil || p.Work[exercise] == nil {
		return nil
	}
	for _, id := range p.Work[exercise].All {
		all = append(all, r.Submissions[id])
	}
	return all
}

// Queued returns how many submissions of a participant wait to be graded.
func (r *Room) Queued(participant string) (n int) {
	p := r.Participants[participant]
	if p == nil {
		return 0
	}
	for _, w := range p.Work {
		for _, id := range w.All {
			if r.Submissions[id].State == StateQueued {
				n++
			}
		}
	}
	return n
}

// TakesSubmissions reports whether the room takes submissions at a time: until it ends, and for Grace after that.
func (r *Room) TakesSubmissions(now time.Time) bool {
	return !r.Ended || now.Before(r.EndedAt.Add(Grace))
}

// Recorded returns the participants in the gradebook and the archive, by name: those who are present, and those who
// were removed after they had handed something in. Both persons of a pair are among them.
func (r *Room) Recorded() []*Participant {
	recorded := slices.DeleteFunc(slices.Collect(maps.Values(r.Participants)), func(p *Participant) bool {
		return p.Merged != "" || p.Preview || p.Removed && p.Submissions() == 0
	})
	slices.SortFunc(recorded, byName)
	return recorded
}

// RemovedParticipants returns the removed participants, by name. A pair is represented by its first person.
func (r *Room) RemovedParticipants() []*Participant {
	removed := slices.DeleteFunc(slices.Collect(maps.Values(r.Participants)),
		func(p *Participant) bool { return !p.Removed || !p.hasRow() })
	slices.SortFunc(removed, byName)
	return removed
}

func byName(a, b *Participant) int {
	return cmp.Or(strings.Compare(strings.ToLower(a.Name), strings.ToLower(b.Name)), strings.Compare(a.ID, b.ID))
}

// Submissions returns how often the participant handed in.
func (p *Participant) Submissions() (n int) {
	for _, w := range p.Work {
		n += len(w.All)
	}
	return n
}

// eventBytes is what an event takes without what is stored beside it, in bytes and roughly.
const eventBytes = 512

// Stored returns how many bytes are stored of a participant, roughly: their submissions with the verdicts on them, the
// code of their last checks, and the reports of all checks. Submissions from before their size was noted count as events.
func (p *Participant) Stored() int {
	n := p.Bytes
	for _, w := range p.Work {
		n += w.Size + eventBytes*(w.Reports+len(w.All))
	}
	return n
}

// Present returns the participants who were not removed: first the raised hands, longest first, then all others by
// name. Of a pair it is the first, whose row is the row of both.
func (r *Room) Present() []*Participant {
	present := slices.DeleteFunc(slices.Collect(maps.Values(r.Participants)),
		func(p *Participant) bool { return p.Removed || !p.hasRow() })
	slices.SortFunc(present, func(a, b *Participant) int {
		if (a.Hand == "") != (b.Hand == "") {
			return cmp.Compare(b.Hand, a.Hand) // "" is last
		}
		if a.Hand != "" {
			return cmp.Or(a.Raised.Compare(b.Raised), strings.Compare(a.Name, b.Name))
		}
		return byName(a, b)
	})
	return present
}
