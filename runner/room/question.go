package room

import (
	"maps"
	"slices"
	"strings"
	"time"
)

// Limits of the questions that a room is asked.
const (
	MaxQuestions  = 100    // questions of a room
	MaxQuestionID = 120    // bytes
	MaxChoices    = 8      // choices of a question
	MaxAnswer     = 99_999 // the greatest number that can be predicted
	MaxAnswers    = 50     // answers of a participant to a question, of which the last one counts
)

// The states of a question, in their order.
const (
	QuestionOpen   = "open"   // participants answer
	QuestionClosed = "closed" // the answers are counted, and the counts are shown
	QuestionShown  = "shown"  // the right answer is shown, too
	QuestionAway   = "away"   // only the instructor sees it, with the counts
)

// A Question is a question of the workbook that the instructor asked the room. The room knows neither its text nor the
// right answer, because the site's pages have both.
type Question struct {
	Number  int    // from 1, in the order in which the room was asked
	ID      string // of the question in the workbook
	Choices int    // an answer is the index of one of them; 0: it is a number
	State   string
	Asked   time.Time
	Answers map[string]Answer // by participant
}

// An Answer is what a participant answered last.
type Answer struct {
	Value int // a number, or the index of a choice
	Given int // how often the participant has answered
}

// A Count has the participants who gave an answer.
type Count struct {
	Answer int
	By     []*Participant // by name
}

// ValidQuestion reports whether a room can be asked a question with the ID and so many choices.
func ValidQuestion(id string, choices int) bool {
	const letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"
	return id != "" && len(id) <= MaxQuestionID && strings.Trim(id, letters) == "" &&
		(choices == 0 || 2 <= choices && choices <= MaxChoices)
}

// Takes reports whether a value can be an answer to the question.
func (q *Question) Takes(value int) bool {
	if q.Choices > 0 {
		return 0 <= value && value < q.Choices
	}
	return 0 <= value && value <= MaxAnswer
}

// Question returns the question that the room is being asked, or nil.
func (r *Room) Question() *Question {
	if n := len(r.Questions); n > 0 && r.Questions[n-1].State != QuestionAway {
		return r.Questions[n-1]
	}
	return nil
}

// QuestionNumber returns the question with the number, or nil.
func (r *Room) QuestionNumber(number int) *Question {
	if number < 1 || number > len(r.Questions) {
		return nil
	}
	return r.Questions[number-1]
}

// Counts returns how the participants who are present answered a question, by answer. A pair has one answer.
func (r *Room) Counts(q *Question) (counts []Count) {
	by := map[int][]*Participant{}
	for id, answer := range q.Answers {
		if p := r.Participants[id]; p != nil && !p.Removed && p.hasRow() {
			by[answer.Value] = append(by[answer.Value], p)
		}
	}
	for _, value := range slices.Sorted(maps.Keys(by)) {
		slices.SortFunc(by[value], byName)
		counts = append(counts, Count{value, by[value]})
	}
	return counts
}

// applyQuestion applies an event about a question. An event that comes too late for the question's state changes
// nothing, because two windows of the instructor may send the same change, and an answer may arrive just after the
// close.
func (r *Room) applyQuestion(e Event) {
	q := r.QuestionNumber(e.Number)
	switch {
	case e.Kind == Asked:
		if r.Question() == nil && len(r.Questions) < MaxQuestions && ValidQuestion(e.Question, e.Choices) {
			r.Questions = append(r.Questions, &Question{Number: len(r.Questions) + 1, ID: e.Question,
				Choices: e.Choices, State: QuestionOpen, Asked: e.Time, Answers: map[string]Answer{}})
		}
	case q == nil:
	case e.Kind == Answered:
		for _, p := range r.together(e.Participant) {
			if q.State == QuestionOpen && !p.Removed && q.Takes(e.Answer) {
				q.Answers[p.ID] = Answer{e.Answer, q.Answers[p.ID].Given + 1}
			}
		}
	case e.Kind == AnswersClosed && q.State == QuestionOpen:
		q.State = QuestionClosed
	case e.Kind == AnswerShown && q.State == QuestionClosed:
		q.State = QuestionShown
	case e.Kind == PutAway:
		q.State = QuestionAway
	}
}

// cloneQuestions returns a copy that later events do not change.
func cloneQuestions(questions []*Question) (all []*Question) {
	for _, q := range questions {
		c := *q
		c.Answers = maps.Clone(q.Answers)
		all = append(all, &c)
	}
	return all
}

// An AskedQuestion is what the gradebook and the archive keep of a question: how many participants gave each answer,
// without their names.
type AskedQuestion struct {
	Question string        `json:"question"`          // its ID in the workbook
	Choices  int           `json:"choices,omitempty"` // an answer is the index of one, from 0; absent: it is a number
	Asked    time.Time     `json:"asked"`
	Answers  []AnswerCount `json:"answers"`
}

// An AnswerCount is how many participants gave an answer.
type AnswerCount struct {
	Answer       int `json:"answer"`
	Participants int `json:"participants"`
}

// AskedQuestions returns the questions that were asked and closed, in the order in which they were asked.
func (r *Room) AskedQuestions() []AskedQuestion {
	all := []AskedQuestion{}
	for _, q := range r.Questions {
		if q.State == QuestionOpen {
			continue
		}
		asked := AskedQuestion{q.ID, q.Choices, q.Asked, []AnswerCount{}}
		for _, c := range r.Counts(q) {
			asked.Answers = append(asked.Answers, AnswerCount{c.Answer, len(c.By)})
		}
		all = append(all, asked)
	}
	return all
}
