package roomhttp

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"net/http"
	"slices"

	"onthestack/runner/request"
	"onthestack/runner/room"
	"onthestack/runner/store"
)

// create opens a room.
func (s *Server) create(w http.ResponseWriter, r *http.Request, _ caller, body createRequest) error {
	title := room.CleanName(body.Title, room.MaxTitle)
	if title == "" {
		return request.Bad("the title is empty or longer than %d characters", room.MaxTitle)
	}
	if len(body.Exercises) == 0 {
		return request.Bad("the room has no exercises: name at least one")
	}
	for i, id := range body.Exercises {
		if !slices.Contains(s.Exercises, id) || slices.Contains(body.Exercises[:i], id) {
			return request.Bad("%.100q is not an exercise, or is listed twice", id)
		}
	}
	created := room.Event{Kind: room.Created, Title: title, Exercises: body.Exercises, Deadline: body.Deadline}
	code, err := s.newRoom(r.Context(), created)
	if err != nil {
		return err
	}
	return reply(w, http.StatusCreated, createAnswer{code})
}

// newRoom stores the first event of a room, and returns the room's code.
func (s *Server) newRoom(ctx context.Context, created room.Event) (code string, err error) {
	count := 0
	s.mu.Lock()
	for _, r := range s.rooms {
		if exists(r) {
			count++
		}
	}
	s.mu.Unlock()
	if count >= room.MaxRooms {
		return "", request.Refuse(http.StatusConflict,
			fmt.Sprintf("there are %d rooms: delete some first", room.MaxRooms))
	}
	code = s.newCode()
	return code, s.append(ctx, code, "created", store.Record{Event: created})
}

// newCode returns a code that no room has.
func (s *Server) newCode() string {
	for {
		code := room.NewCode()
		if !s.view(code, func(*room.Room) {}) {
			return code
		}
	}
}

// list answers with the rooms, the latest change first.
func (s *Server) list(w http.ResponseWriter, r *http.Request, _ caller) error {
	answer := roomsAnswer{Rooms: []roomLine{}}
	s.mu.Lock()
	for _, r := range slices.SortedFunc(maps.Values(s.rooms), latestFirst) {
		if exists(r) {
			answer.Rooms = append(answer.Rooms, roomLine{r.Code, r.Title, len(r.Present()), r.Ended, r.Time})
		}
	}
	s.mu.Unlock()
	return reply(w, http.StatusOK, answer)
}

func latestFirst(a, b *room.Room) int { return cmp.Compare(b.Sequence, a.Sequence) }

// remove deletes a room with all that was handed in.
func (s *Server) remove(w http.ResponseWriter, r *http.Request, c caller) error {
	// A deletion that has begun is completed, even if the client has left.
	ctx := context.WithoutCancel(r.Context())
	sequence, err := s.Journal.Delete(ctx, c.code)
	if err == nil {
		err = s.applied(ctx, c.code, sequence)
	}
	if err != nil {
		return err
	}
	w.WriteHeader(http.StatusNoContent)
	return nil
}
