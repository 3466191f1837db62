package roomhttp

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strconv"

	"onthestack/runner/request"
	"onthestack/runner/room"
)

// Requests about questions.
type (
	askRequest struct {
		Question string `json:"question"`          // its ID in the workbook
		Choices  int    `json:"choices,omitempty"` // an answer is the index of one, from 0; absent: it is a number
	}
	questionRequest struct {
		State string `json:"state"` // that the question comes to: "closed", "shown" or "away"
	}
	answerRequest struct {
		Answer *int `json:"answer"`
	}
)

// A questionView is a question that the room is or was asked, as the caller sees it.
type questionView struct {
	Number   int    `json:"number"`            // from 1, in the order in which the room was asked
	Question string `json:"question"`          // its ID in the workbook
	Choices  int    `json:"choices,omitempty"` // an answer is the index of one, from 0; absent: it is a number
	State    string `json:"state"`             // "open", "closed", "shown" or "away"
	Mine     *int   `json:"mine,omitempty"`    // the caller's own answer; absent: none yet
	// Answered is how many participants have answered; for the instructor.
	Answered int         `json:"answered,omitempty"`
	Counts   []countView `json:"counts,omitempty"` // by answer; only once the question is closed
}

// A countView is how many participants gave an answer.
type countView struct {
	Answer       int      `json:"answer"`
	Participants int      `json:"participants"`
	Names        []string `json:"names,omitempty"` // for the instructor, of the question that the room is being asked
}

// viewQuestions sets what the caller sees of the room's questions. The caller holds s.mu.
func (v *roomView) viewQuestions(r *room.Room, c caller) {
	if q := r.Question(); q != nil {
		one := viewOf(r, q, c, true)
		v.Question = &one
	}
	if !c.seesAll() {
		return
	}
	for _, q := range r.Questions {
		if q.State == room.QuestionAway {
			v.Asked = append(v.Asked, viewOf(r, q, c, false))
		}
	}
}

// viewOf returns what the caller sees of a question. Nobody sees how often an answer was given while others may still
// be thinking.
func viewOf(r *room.Room, q *room.Question, c caller, withNames bool) questionView {
	v := questionView{Number: q.Number, Question: q.ID, Choices: q.Choices, State: q.State}
	if own, ok := q.Answers[c.participant]; ok {
		v.Mine = &own.Value
	}
	for _, count := range r.Counts(q) {
		if c.seesAll() {
			v.Answered += len(count.By)
		}
		if q.State == room.QuestionOpen {
			continue
		}
		one := countView{Answer: count.Answer, Participants: len(count.By)}
		for _, p := range count.By {
			if c.seesAll() && withNames {
				one.Names = append(one.Names, r.SeatName(p))
			}
		}
		v.Counts = append(v.Counts, one)
	}
	return v
}

// ask asks the room a question, and answers with the room as it is then.
func (s *Server) ask(w http.ResponseWriter, r *http.Request, c caller, body askRequest) error {
	if !room.ValidQuestion(body.Question, body.Choices) {
		return request.Bad("%.130q with %d choices is not a question: send its ID, and 0 or from 2 to %d choices",
			body.Question, body.Choices, room.MaxChoices)
	}
	e := room.Event{Kind: room.Asked, Question: body.Question, Choices: body.Choices}
	return s.tell(w, r, c, func(r *room.Room) (room.Event, error) {
		switch {
		case r.Ended:
			return e, errEnded
		case r.Question() != nil:
			return e, request.Refuse(http.StatusConflict, "the room already has a question: hide that one first")
		case len(r.Questions) >= room.MaxQuestions:
			return e, request.Refuse(http.StatusConflict, fmt.Sprintf(
				"the room has been asked %d questions, which is the most that it keeps", room.MaxQuestions))
		}
		return e, nil
	})
}

// question brings a question to its next state, and answers with the room as it is then. A question that is in that
// state or a later one stays as it is.
func (s *Server) question(w http.ResponseWriter, r *http.Request, c caller, body questionRequest) error {
	kinds := map[string]room.Kind{room.QuestionClosed: room.AnswersClosed, room.QuestionShown: room.AnswerShown,
		room.QuestionAway: room.PutAway}
	kind, ok := kinds[body.State]
	if !ok {
		return request.Bad("%.20q is not a state that a question can be brought to: send closed, shown or away", body.State)
	}
	return s.tell(w, r, c, func(view *room.Room) (room.Event, error) {
		q, err := numbered(view, r)
		switch {
		case err != nil:
			return room.Event{}, err
		case q.State == body.State, body.State == room.QuestionClosed && q.State == room.QuestionShown:
			return room.Event{}, nil
		case q.State == room.QuestionAway:
			return room.Event{}, request.Refuse(http.StatusConflict, "the question is hidden: ask it again")
		case body.State == room.QuestionShown && q.State == room.QuestionOpen:
			return room.Event{}, request.Refuse(http.StatusConflict,
				"the question is still open: close it before you show its answer")
		}
		return room.Event{Kind: kind, Number: q.Number}, nil
	})
}

// numbered returns the question that the path of a request names.
func numbered(view *room.Room, r *http.Request) (*room.Question, error) {
	number, err := strconv.Atoi(r.PathValue("number"))
	q := view.QuestionNumber(number)
	if err != nil || q == nil {
		return nil, request.Refuse(http.StatusNotFound, "the room has no question with this number")
	}
	return q, nil
}

// answer notes what a participant predicts. It can be changed until the question is closed.
func (s *Server) answer(w http.ResponseWriter, r *http.Request, c caller, body answerRequest) error {
	return done(w, s.note(r, c, func(view *room.Room) (e room.Event, err error) {
		q, err := numbered(view, r)
		if err != nil {
			return e, err
		}
		before, answered := q.Answers[c.participant]
		switch {
		case view.Ended:
			return e, errEnded
		case q.State != room.QuestionOpen:
			return e, request.Refuse(http.StatusConflict, "the question is closed")
		case body.Answer == nil || !q.Takes(*body.Answer):
			if q.Choices > 0 {
				return e, request.Bad("the answer is not one of the question's %d choices", q.Choices)
			}
			return e, request.Bad("the answer is not a whole number from 0 to %d", room.MaxAnswer)
		case before.Given >= room.MaxAnswers:
			return e, request.Refuse(http.StatusConflict, fmt.Sprintf(
				"you have answered this question %d times, which is the most that a room keeps", room.MaxAnswers))
		case answered && before.Value == *body.Answer:
			return e, nil
		}
		return room.Event{Kind: room.Answered, Participant: c.participant, Number: q.Number, Answer: *body.Answer}, nil
	}))
}

// predictionsFile has the questions of the room in the archive.
const predictionsFile = "predictions.json"

// addPredictions adds the questions that the room was asked to its archive, if there are some.
func addPredictions(r *room.Room, add room.AddFile) error {
	asked := r.AskedQuestions()
	if len(asked) == 0 {
		return nil
	}
	text, err := json.MarshalIndent(asked, "", "  ")
	if err != nil {
		return err
	}
	last := slices.MaxFunc(asked, func(a, b room.AskedQuestion) int { return a.Asked.Compare(b.Asked) })
	f, err := add(predictionsFile, last.Asked)
	if err == nil {
		_, err = io.WriteString(f, string(text)+"\n")
	}
	return err
}
