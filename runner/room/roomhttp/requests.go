package roomhttp

import (
	"encoding/json"
	"errors"
	"net/http"
	"time"

	"onthestack/runner/request"
	"onthestack/runner/room"
	"onthestack/runner/store"
)

// Requests and answers.
type (
	createRequest struct {
		Title     string    `json:"title"`
		Exercises []string  `json:"exercises"`
		Deadline  time.Time `json:"deadline,omitzero"`
		SeesCode  bool      `json:"seesCode,omitempty"` // whether the instructor sees the code of each last check
	}
	createAnswer struct {
		Room string `json:"room"` // its code
	}
	joinRequest struct {
		personRequest
		Partner *personRequest `json:"partner,omitempty"` // a second person at the same seat
	}
	joinAnswer struct {
		keyAnswer
		Partner *keyAnswer `json:"partner,omitempty"`
	}
	submitRequest struct {
		Exercise string            `json:"exercise"`
		Files    map[string]string `json:"files"`
		Check    string            `json:"check,omitempty"` // the ID of a check of the same files, as in its report
	}
	submitAnswer struct {
		ID string `json:"id"`
	}
	handRequest struct {
		Exercise string `json:"exercise"`
		Raised   bool   `json:"raised"`
	}
	handAnswer struct {
		Raised bool `json:"raised"`
	}
	progressRequest struct {
		Exercise string `json:"exercise"`
		Check    string `json:"check,omitempty"` // an ID that the page has given the check
		room.Progress
		// Files are what was checked, in a room whose instructor sees it.
		Files map[string]string `json:"files,omitempty"`
	}
	hintsRequest struct {
		Exercise string `json:"exercise"`
		Hints    int    `json:"hints"` // that are open
	}
	gradesAnswer struct {
		Room   string     `json:"room"`
		Grades []room.Row `json:"grades"`
		// Predictions are the questions that the room was asked.
		Predictions []room.AskedQuestion `json:"predictions"`
	}
)

// A roomsAnswer lists the rooms for the instructor.
type roomsAnswer struct {
	Rooms []roomLine `json:"rooms"`
}

// A roomLine is a room in that list.
type roomLine struct {
	Room         string    `json:"room"` // its code
	Title        string    `json:"title"`
	Participants int       `json:"participants"`
	Ended        bool      `json:"ended"`
	Changed      time.Time `json:"changed"`
}

// A submissionView is the answer to a request for a submission.
type submissionView struct {
	State   string          `json:"state"`
	Late    bool            `json:"late"`
	Why     string          `json:"why,omitempty"`
	Verdict json.RawMessage `json:"verdict,omitempty"`
	// Regraded is how often it was graded again at the instructor's request. A grading that is under way is not counted.
	Regraded int `json:"regraded"`

	Exercise  string            `json:"exercise"`
	Submitted time.Time         `json:"submitted"`
	Files     map[string]string `json:"files,omitempty"` // what was handed in
}

// fail answers with an error. The message of an error that is no refusal is logged and not sent.
func (s *Server) fail(w http.ResponseWriter, r *http.Request, err error) {
	var refused *request.Refusal
	if errors.Is(err, store.ErrFull) {
		s.Log.Error("room", "path", r.URL.Path, "error", err)
		refused = errFull
	} else if !errors.As(err, &refused) {
		s.Log.Error("room", "path", r.URL.Path, "error", err)
		refused = request.Refuse(http.StatusServiceUnavailable,
			"the server could not store this: keep the page open and try again")
	}
	switch refused.Status {
	case http.StatusServiceUnavailable, http.StatusInsufficientStorage, http.StatusTooManyRequests:
		w.Header().Set("Retry-After", "2")
	}
	refused.Send(w)
}

// done answers a request whose answer has no content, unless there is an error.
func done(w http.ResponseWriter, err error) error {
	if err == nil {
		w.WriteHeader(http.StatusNoContent)
	}
	return err
}

// reply answers with a value, as JSON. It returns no error, as a handler does that has answered.
func reply(w http.ResponseWriter, status int, v any) error {
	request.Reply(w, status, v)
	return nil
}
