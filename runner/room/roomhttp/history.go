package roomhttp

import (
	"net/http"
	"slices"
	"time"

	"onthestack/runner/request"
	"onthestack/runner/room"
)

// A historyAnswer lists what a participant handed in for an exercise.
type historyAnswer struct {
	Submissions []handedView `json:"submissions"` // the newest first
}

// A handedView is a submission in that list.
type handedView struct {
	ID            string    `json:"id"`
	Submitted     time.Time `json:"submitted"`
	State         string    `json:"state"` // "queued", "graded" or "failed"
	Late          bool      `json:"late,omitempty"`
	AfterEnd      bool      `json:"afterEnd,omitempty"`
	Passed        bool      `json:"passed,omitempty"`
	room.Progress           // what grading showed; the zero value unless the state is "graded"
}

// history answers with a participant's submissions for an exercise, also for one that the room no longer has.
func (s *Server) history(w http.ResponseWriter, r *http.Request, c caller) error {
	answer := historyAnswer{Submissions: []handedView{}}
	participant, exercise := r.PathValue("participant"), r.PathValue("exercise")
	if err := s.view(c.code, func(r *room.Room) error {
		p := r.Row(participant)
		if p == nil {
			return errNoParticipant
		}
		for _, submission := range slices.Backward(r.ByParticipant(p.ID, exercise)) {
			answer.Submissions = append(answer.Submissions, handedOf(submission))
		}
		return nil
	}); err != nil {
		return err
	}
	return reply(w, http.StatusOK, answer)
}

func handedOf(s *room.Submission) handedView {
	v := handedView{ID: s.ID, Submitted: s.Time, State: s.State, Late: s.Late, AfterEnd: s.AfterEnd}
	if s.State == room.StateGraded {
		v.Passed, v.Progress = s.Grade.Pass, s.Grade.Progress
	}
	return v
}

var errNoParticipant = request.Refuse(http.StatusNotFound, "the room has no such participant: reload the page")
