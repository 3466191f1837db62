package roomhttp

import (
	"bytes"
	"fmt"
	"net/http"
	"slices"

	"onthestack/runner/request"
	"onthestack/runner/room"
)

// Requests and answers about seats.
type (
	// A personRequest is how a person who joins introduces themselves.
	personRequest struct {
		Name string `json:"name"`
		// Identifier is an e-mail address or a number by which the school's system knows them; or "".
		Identifier string `json:"identifier,omitempty"`
	}
	// A renaming gives a participant another name and identifier.
	renaming struct {
		Participant string `json:"participant"` // ID
		personRequest
	}
	// A merging moves all that a participant did to the row of another one.
	merging struct {
		Participant string `json:"participant"` // ID
		Into        string `json:"into"`        // ID
	}
	// A keyAnswer has a participant's key, which nobody can read again.
	keyAnswer struct {
		Participant string `json:"participant"` // ID
		Token       string `json:"token"`
	}
)

// A personView is a person at a seat.
type personView struct {
	ID         string `json:"id"`
	Name       string `json:"name"`
	Identifier string `json:"identifier,omitempty"` // for the instructor
	// Ambiguous reports that somebody else has the same identifier; for the instructor.
	Ambiguous bool `json:"ambiguous,omitempty"`
}

// clean returns the name and the identifier as they are stored, or the refusal.
func (p personRequest) clean() (name, identifier string, err error) {
	if name = room.CleanName(p.Name, room.MaxName); name == "" {
		return "", "", request.Bad("the name is empty or longer than %d characters", room.MaxName)
	}
	if p.Identifier == "" {
		return name, "", nil
	}
	if identifier = room.CleanName(p.Identifier, room.MaxIdentifier); identifier == "" {
		return "", "", request.Bad("the identifier has no visible characters, or more than %d: leave it out, or "+
			"send another one", room.MaxIdentifier)
	}
	return name, identifier, nil
}

// newPerson returns somebody who joins, with the key that only they get.
func (p personRequest) newPerson() (person room.Person, token string, err error) {
	name, identifier, err := p.clean()
	token = room.NewToken()
	return room.Person{ID: room.NewToken(), Name: name, Identifier: identifier, TokenHash: room.Hash(token)}, token, err
}

// seated returns the caller as the room knows them now: their row may have been merged into another one, and their key
// may be an old one. It is false if they have no place in the room.
func (c caller) seated(r *room.Room) (caller, bool) {
	if c.seesAll() {
		return c, true
	}
	row, owner := r.Row(c.owner), r.Participants[c.owner]
	if row == nil || row.Removed || owner.Removed || !bytes.Equal(owner.TokenHash, c.hash) {
		return c, false
	}
	c.participant = row.ID
	return c, true
}

// people returns the persons at a participant's seat, as the caller sees them. ambiguous is r.Ambiguous.
func people(r *room.Room, p *room.Participant, c caller, ambiguous map[string]bool) (all []personView) {
	for _, person := range r.People(p) {
		view := personView{ID: person.ID, Name: person.Name}
		if c.instructor {
			view.Identifier, view.Ambiguous = person.Identifier, ambiguous[person.ID]
		}
		all = append(all, view)
	}
	return all
}

// newKey gives a participant a new key. The keys that they had stop working.
func (s *Server) newKey(w http.ResponseWriter, r *http.Request, c caller) error {
	token := room.NewToken()
	e := room.Event{Kind: room.Rekeyed, TokenHash: room.Hash(token)}
	if err := s.update(r.Context(), c.code, func(found *room.Room) (room.Event, error) {
		p := found.Row(r.PathValue("participant"))
		if p == nil {
			return e, errNoParticipant
		}
		e.Participant = p.ID
		return e, nil
	}); err != nil {
		return err
	}
	return reply(w, http.StatusCreated, keyAnswer{e.Participant, token})
}

// preview gives the instructor a seat to try the room with.
func (s *Server) preview(w http.ResponseWriter, r *http.Request, c caller) error {
	person, token, err := personRequest{Name: "Preview"}.newPerson()
	if err != nil {
		return err
	}
	joined := room.Event{Kind: room.Joined, Participant: person.ID, Name: person.Name, TokenHash: person.TokenHash,
		Preview: true}
	if err := s.note(r, c, func(r *room.Room) (room.Event, error) {
		if r.Ended {
			return joined, errEnded
		}
		return joined, nil
	}); err != nil {
		return err
	}
	return reply(w, http.StatusCreated, keyAnswer{person.ID, token})
}

// part ends the pair that the caller belongs to.
func (s *Server) part(w http.ResponseWriter, r *http.Request, c caller) error {
	if err := s.update(r.Context(), c.code, func(r *room.Room) (e room.Event, err error) {
		if r.Participants[c.participant].Partner == "" {
			return e, request.Refuse(http.StatusConflict, "you already have a seat of your own")
		}
		return room.Event{Kind: room.Parted, Participant: c.participant}, nil
	}); err != nil {
		return err
	}
	return s.show(w, r, c)
}

// cleaned returns the change with its texts as they are stored, or a refusal if a room cannot have such texts.
func (s *Server) cleaned(c change) (change, error) {
	if c.Title != "" {
		if c.Title = room.CleanName(c.Title, room.MaxTitle); c.Title == "" {
			return c, request.Bad("the title is empty or longer than %d characters", room.MaxTitle)
		}
	}
	if c.Exercises != nil {
		if err := s.valid(*c.Exercises); err != nil {
			return c, err
		}
	}
	if c.Rename != nil {
		name, identifier, err := c.Rename.clean()
		if err != nil {
			return c, err
		}
		c.Rename = &renaming{c.Rename.Participant, personRequest{name, identifier}}
	}
	return c, nil
}

// valid returns a refusal if a room cannot have this list of exercises.
func (s *Server) valid(exercises []string) error {
	if len(exercises) == 0 {
		return request.Bad("the room has no exercises: name at least one")
	}
	for i, id := range exercises {
		if !slices.Contains(s.Exercises, id) || slices.Contains(exercises[:i], id) {
			return request.Bad("%.100q is not an exercise, or is listed twice", id)
		}
	}
	return nil
}

// seatEvents calls field for each kind of change of this file.
func (c change) seatEvents(field func(set bool, e room.Event)) {
	field(c.Title != "", room.Event{Kind: room.Retitled, Title: c.Title})
	if c.Exercises != nil {
		field(true, room.Event{Kind: room.Assigned, Exercises: *c.Exercises})
	}
	if c.Rename != nil {
		field(true, room.Event{Kind: room.Renamed, Participant: c.Rename.Participant, Name: c.Rename.Name,
			Identifier: c.Rename.Identifier, Alike: true})
	}
	if c.Merge != nil {
		field(true, room.Event{Kind: room.Merged, Participant: c.Merge.Participant, Into: c.Merge.Into})
	}
}

// unmergeable returns a refusal if the event merges two rows that cannot be merged.
func unmergeable(r *room.Room, e room.Event) error {
	from, into := r.Row(e.Participant), r.Row(e.Into)
	switch {
	case e.Kind != room.Merged:
		return nil
	case into == nil:
		return request.Bad("there is no participant %.100q in this room", e.Into)
	case from == into:
		return request.Bad("both participants already have the same row")
	case from.Preview || into.Preview:
		return request.Bad("a preview has no row that could be merged")
	case into.Removed:
		return request.Bad("%s has been removed from the room: let them back in first", into.Name)
	case from.Partner == into.ID:
		return request.Bad("%s and %s are a pair, so they already share one row", from.Name, into.Name)
	case into.Second:
		return request.Bad("%s sits with %s, whose row would not show what %s did: merge into %[2]s's row, or have "+
			"the two part first", into.Name, r.Participants[into.Partner].Name, from.Name)
	}
	return nil
}

// full returns a refusal if a room cannot have so many more participants.
func full(r *room.Room, more int) error {
	if n := r.Places(); n+more > room.MaxParticipants {
		return request.Refuse(http.StatusConflict, fmt.Sprintf("the room is full: it has %d participants", n))
	}
	return nil
}
