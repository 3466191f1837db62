package roomhttp

import (
	"context"
	"errors"
	"net/http"
	"time"

	"github.com/nats-io/nats.go/jetstream"

	"onthestack/runner/request"
	"onthestack/runner/room"
	"onthestack/runner/store"
)

var (
	errSeesNoCode = request.Refuse(http.StatusConflict,
		"the instructor of this room does not see the code of checks: send a check without its files")
	errNoCode = request.Refuse(http.StatusNotFound, "there is no code from a check: reload the page")
	errNewer  = request.Refuse(http.StatusConflict,
		"the code was checked again in the meantime: read the newer code first")
	errReplaced = request.Refuse(http.StatusConflict,
		"whoever made this check has checked again since, and only their last code is kept: reload the page")
)

// A codeView is the code of a check. It does not say whose it is.
type codeView struct {
	Code     string    `json:"code"` // its ID
	Exercise string    `json:"exercise"`
	Checked  time.Time `json:"checked"`
	room.Progress
	Files map[string]string `json:"files"`
}

func codeOf(record store.Record) codeView {
	v := codeView{Code: record.Code, Exercise: record.Exercise, Checked: record.Time, Files: record.Files}
	if record.Progress != nil {
		v.Progress = *record.Progress
	}
	return v
}

// A projectRequest names code to project. It has the ID of the code that the instructor has read, since a participant
// may check again at that moment.
type projectRequest struct {
	Participant string `json:"participant"` // ID
	Exercise    string `json:"exercise"`
	Code        string `json:"code"` // ID
}

// A projectedView says which code the instructor projects.
type projectedView struct {
	Code        string `json:"code"`        // its ID
	Participant string `json:"participant"` // ID of the one whose code it is, for the instructor's own page
	Exercise    string `json:"exercise"`
}

func projectedOf(r *room.Room) projectedView {
	if r.Projected == nil {
		return projectedView{}
	}
	return projectedView{r.Projected.ID, r.Projected.Participant, r.Projected.Exercise}
}

// storeCode stores the files of a check, and gives its event their ID. They are stored before the event, so that every
// reader of the event finds them.
func (s *Server) storeCode(ctx context.Context, code string, checked *room.Event, files map[string]string) error {
	if err := s.Validate(checked.Exercise, files); err != nil {
		return err
	}
	checked.Code, checked.Time, checked.Bytes = room.NewToken(), s.Now(), sizeOf(files)
	return s.Journal.StoreCode(ctx, code, store.Record{Event: *checked, Files: files})
}

// readCode returns the code of a participant's last check, for the instructor and helpers. It is stored under the
// participant who sent it, who may have sent other code since: at this moment, or from another row, once a pair has
// parted. That code is never returned as this participant's.
func (s *Server) readCode(ctx context.Context, code, participant, exercise string) (store.Record, error) {
	id := ""
	// Only IDs that are in the room's state may become part of a subject in the journal.
	if err := s.view(code, func(r *room.Room) error {
		p := r.Row(participant)
		if p == nil || p.Removed || has(r, exercise) != nil || p.Work[exercise] == nil || p.Work[exercise].Code == "" {
			return errNoCode
		}
		participant, id = p.Work[exercise].Coder, p.Work[exercise].Code
		return nil
	}); err != nil {
		return store.Record{}, err
	}
	record, err := found(s.Journal.Code(ctx, code, participant, exercise))
	if err == nil && record.Code != id {
		return store.Record{}, errReplaced
	}
	return record, err
}

// found turns missing code into a refusal.
func found(record store.Record, err error) (store.Record, error) {
	if errors.Is(err, jetstream.ErrMsgNotFound) {
		err = errNoCode
	}
	return record, err
}

func (s *Server) checkedCode(w http.ResponseWriter, r *http.Request, c caller) error {
	record, err := s.readCode(r.Context(), c.code, r.PathValue("participant"), r.PathValue("exercise"))
	if err != nil {
		return err
	}
	return reply(w, http.StatusOK, codeOf(record))
}

// project copies the code of a participant's last check, and projects the copy.
func (s *Server) project(w http.ResponseWriter, r *http.Request, c caller, body projectRequest) error {
	record, err := s.readCode(r.Context(), c.code, body.Participant, body.Exercise)
	if err != nil {
		return err
	}
	if record.Code != body.Code {
		return errNewer
	}
	if err := s.view(c.code, func(r *room.Room) error {
		if r.Ended {
			return errEnded
		}
		return nil
	}); err != nil {
		return err
	}
	if err := s.Journal.StoreProjected(r.Context(), c.code, record); err != nil {
		return err
	}
	return s.tell(w, r, c, always(room.Event{Kind: room.Projected, Participant: body.Participant,
		Exercise: body.Exercise, Code: record.Code}))
}

func (s *Server) putAway(w http.ResponseWriter, r *http.Request, c caller) error {
	return s.tell(w, r, c, always(room.Event{Kind: room.Unprojected}))
}

func (s *Server) projected(w http.ResponseWriter, r *http.Request, c caller) error {
	var id string
	if err := s.view(c.code, func(r *room.Room) error { id = projectedOf(r).Code; return nil }); err != nil {
		return err
	}
	if id == "" {
		return errNoCode
	}
	record, err := found(s.Journal.Projected(r.Context(), c.code))
	if err != nil {
		return err
	}
	// If two instructors project at once, the stored copy may be from one of them and the last event from the other.
	if record.Code != id {
		return errNoCode
	}
	return reply(w, http.StatusOK, codeOf(record))
}
