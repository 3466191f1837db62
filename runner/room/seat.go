package room

import (
	"cmp"
	"crypto/subtle"
	"slices"
)

// MaxPreviews is how many preview seats a room can have at once. One more replaces the oldest.
const MaxPreviews = 5

// A Person is somebody who joins a room.
type Person struct {
	ID         string `json:"id"`
	Name       string `json:"name"`
	Identifier string `json:"identifier,omitempty"`
	TokenHash  []byte `json:"token_hash"`
}

// A Seat is the part of a participant that identifies them and says whom they share a row with.
type Seat struct {
	// Identifier is an e-mail address or a number by which another system knows the participant, as they typed it; or
	// "". Only the instructor sees it.
	Identifier string
	// Partner is the ID of the other person of a pair, or "". While they are a pair, everything that one of them does
	// is done for both.
	Partner string
	// Second reports that the participant is the second of a pair, whose row in the grid is the first one's.
	Second bool
	// Merged is the ID of the participant into whose row this one was merged, or "".
	Merged string
	// Preview reports that the participant is the instructor, who is trying the room. A preview does not appear in the
	// grid, the gradebook or the archive.
	Preview bool
}

// hasRow reports whether the participant has a row of their own, in the grid or among the removed participants.
func (s *Seat) hasRow() bool { return s.Merged == "" && !s.Preview && (s.Partner == "" || !s.Second) }

// Row returns the participant with an ID, or the one into whose row theirs was merged; nil if there is none.
func (r *Room) Row(id string) *Participant {
	p := r.Participants[id]
	for p != nil && p.Merged != "" {
		p = r.Participants[p.Merged]
	}
	return p
}

// together returns the participants for whom somebody acts: the one with the ID, and the partner.
func (r *Room) together(id string) (all []*Participant) {
	p := r.Row(id)
	if p == nil {
		return nil
	}
	all = append(all, p)
	if partner := r.Participants[p.Partner]; partner != nil {
		all = append(all, partner)
	}
	return all
}

// People returns the people at a participant's seat, the first of a pair first.
func (r *Room) People(p *Participant) []*Participant {
	people := r.together(p.ID)
	slices.SortFunc(people, func(a, b *Participant) int {
		if a.Second == b.Second {
			return 0
		} else if b.Second {
			return -1
		}
		return 1
	})
	return people
}

// SeatName returns the name of a participant's seat: their own name, or "Ada and Ben".
func (r *Room) SeatName(p *Participant) string {
	people := r.People(p)
	if len(people) == 2 {
		return people[0].Name + " and " + people[1].Name
	}
	return p.Name
}

// ByToken returns the participant whose row a token opens, and the one to whom the token was given; nil for none. They
// differ if the row of the second was merged into another one.
func (r *Room) ByToken(hash []byte) (row, owner *Participant) {
	for _, p := range r.Participants {
		if subtle.ConstantTimeCompare(p.TokenHash, hash) == 1 {
			owner = p
		}
	}
	if owner == nil || owner.Removed {
		return nil, nil
	}
	if row = r.Row(owner.ID); row == nil || row.Removed {
		return nil, nil
	}
	return row, owner
}

// Joiners returns how many people have joined, including removed people and people whose row was merged.
func (r *Room) Joiners() (n int) {
	for _, p := range r.Participants {
		if !p.Preview {
			n++
		}
	}
	return n
}

// Places returns how many of the MaxParticipants places in the room are taken. Somebody who was removed before they did
// anything leaves theirs to others, so that a room does not stay full of names that nobody needs.
func (r *Room) Places() (n int) {
	for _, p := range r.Participants {
		if !p.Preview && !p.leftPlace() {
			n++
		}
	}
	return n
}

// Returning returns how many places are needed to let somebody back in who was removed.
func (r *Room) Returning(p *Participant) (n int) {
	for _, person := range r.People(p) {
		if person.leftPlace() {
			n++
		}
	}
	return n
}

func (p *Participant) leftPlace() bool { return p.Removed && len(p.Work) == 0 }

// reseat applies an event about a participant's name, key, row or partner.
func (r *Room) reseat(p *Participant, e Event) {
	switch e.Kind {
	case Renamed:
		p.Name, p.Identifier = r.uniqueName(e.Name, e, p), e.Identifier
	case Rekeyed:
		p.TokenHash = e.TokenHash
		for _, other := range r.Participants {
			if other.Merged != "" && r.Row(other.ID) == p {
				other.TokenHash = nil
			}
		}
	case Parted:
		r.part(p)
	case Merged:
		if into := r.Row(e.Into); into != nil && into != p && !into.Preview && !p.Preview {
			r.merge(p, into)
		}
	}
}

// part ends a pair. Afterwards, each of the two has a row with everything that they did together.
func (r *Room) part(p *Participant) {
	if partner := r.Participants[p.Partner]; partner != nil {
		partner.Partner, partner.Second = "", false
	}
	p.Partner, p.Second = "", false
}

// merge moves what p did to another participant's row.
func (r *Room) merge(p, into *Participant) {
	r.part(p)
	p.Merged, p.Hand = into.ID, ""
	into.Hands, into.Bytes = into.Hands+p.Hands, into.Bytes+p.Bytes
	if r.Projected != nil && r.Projected.Participant == p.ID {
		r.Projected = &Code{r.Projected.ID, into.ID, r.Projected.Exercise}
	}
	into.Identifier = cmp.Or(into.Identifier, p.Identifier)
	if p.Joined.Before(into.Joined) {
		into.Joined = p.Joined
	}
	for exercise, from := range p.Work {
		w := into.work(exercise)
		own := *w
		if from.Changed.After(own.Changed) {
			*w = *from // the later state, and the sums of both
		}
		w.Attempts, w.Reports = own.Attempts+from.Attempts, own.Reports+from.Reports
		w.Hints = max(own.Hints, from.Hints)
		w.All, w.Best, w.Passed, w.Late, w.AfterEnd = own.All, own.Best, own.Passed, own.Late, own.AfterEnd
		for _, id := range from.All {
			s := r.Submissions[id]
			s.For = slices.DeleteFunc(s.For, func(id string) bool { return id == p.ID })
			if !slices.Contains(s.For, into.ID) {
				s.For = append(s.For, into.ID)
				w.All = append(w.All, id)
			}
		}
		slices.SortFunc(w.All, func(a, b string) int {
			return cmp.Compare(r.Submissions[a].sequence, r.Submissions[b].sequence)
		})
		r.recount(into, exercise)
	}
	p.Work = map[string]*Work{}
	for _, q := range r.Questions {
		answer, answered := q.Answers[p.ID]
		if _, own := q.Answers[into.ID]; answered && !own {
			q.Answers[into.ID] = answer
		}
		delete(q.Answers, p.ID)
	}
}

// preview adds a preview seat, and ends the oldest one if there are too many. What was handed in there is forgotten.
func (r *Room) preview(e Event) {
	var earlier []*Participant
	for _, p := range r.Participants {
		if p.Preview && !p.Removed {
			earlier = append(earlier, p)
		}
	}
	if len(earlier) >= MaxPreviews {
		oldest := slices.MinFunc(earlier, func(a, b *Participant) int {
			return cmp.Or(a.Joined.Compare(b.Joined), cmp.Compare(a.ID, b.ID))
		})
		for _, w := range oldest.Work {
			for _, id := range w.All {
				delete(r.Submissions, id)
			}
		}
		r.Shared = slices.DeleteFunc(slices.Clone(r.Shared), func(id string) bool { return r.Submissions[id] == nil })
		if r.Projected != nil && r.Projected.Participant == oldest.ID {
			r.Projected = nil
		}
		oldest.Removed, oldest.Hand, oldest.Work = true, "", map[string]*Work{}
	}
	r.Participants[e.Participant] = &Participant{ID: e.Participant, Name: e.Name, TokenHash: e.TokenHash,
		Joined: e.Time, Seat: Seat{Preview: true}, Work: map[string]*Work{}}
}

// assign gives the room other exercises. Submissions for an exercise that is removed are kept, and appear again if the
// exercise is added again.
func (r *Room) assign(exercises []string) {
	if len(exercises) == 0 {
		return // a room has exercises
	}
	r.Exercises, r.opened = exercises, true
	for _, p := range r.Participants {
		if !slices.Contains(exercises, p.Hand) {
			p.Hand = ""
		}
	}
}

// HandedIn returns the exercises for which a participant has handed something in: the room's exercises in its order,
// and then exercises that the room no longer has.
func (r *Room) HandedIn(p *Participant) (exercises []string) {
	for exercise, w := range p.Work {
		if len(w.All) > 0 {
			exercises = append(exercises, exercise)
		}
	}
	place := func(exercise string) int {
		if i := slices.Index(r.Exercises, exercise); i >= 0 {
			return i
		}
		return len(r.Exercises)
	}
	slices.SortFunc(exercises, func(a, b string) int {
		return cmp.Or(cmp.Compare(place(a), place(b)), cmp.Compare(a, b))
	})
	return exercises
}
