package room

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"
)

func asked(id string, choices int) Event { return Event{Kind: Asked, Question: id, Choices: choices} }

func answered(participant string, number, answer int) Event {
	return Event{Kind: Answered, Participant: participant, Number: number, Answer: answer}
}

func about(kind Kind, number int) Event { return Event{Kind: kind, Number: number} }

// TestQuestions tests the states of a question, and that an event that does not fit the state changes nothing. The
// wanted text has the state of each question and its counts, as "closed 2:Ada,Ben".
func TestQuestions(t *testing.T) {
	ben := Event{Kind: Joined, Participant: "ben1", Name: "Ben"}
	ask := asked("predict-a", 0)
	for _, c := range []struct {
		name   string
		events []Event
		want   string
	}{
		{"asked", []Event{ask}, "open"},
		{"answered", []Event{ask, answered("ben1", 1, 2), answered("ada1", 1, 2)}, "open 2:Ada,Ben"},
		{"none is an answer", []Event{ask, answered("ada1", 1, 0)}, "open 0:Ada"},
		{"answered again", []Event{ask, answered("ada1", 1, 2), answered("ada1", 1, 0), answered("ben1", 1, 7)},
			"open 0:Ada 7:Ben"},
		{"closed", []Event{ask, answered("ada1", 1, 2), about(AnswersClosed, 1)}, "closed 2:Ada"},
		{"a late answer", []Event{ask, answered("ada1", 1, 2), about(AnswersClosed, 1), answered("ada1", 1, 3),
			answered("ben1", 1, 3)}, "closed 2:Ada"},
		{"closed twice", []Event{ask, about(AnswersClosed, 1), about(AnswerShown, 1), about(AnswersClosed, 1)},
			"shown"},
		{"shown before it is closed", []Event{ask, about(AnswerShown, 1)}, "open"},
		{"put away", []Event{ask, answered("ada1", 1, 1), about(AnswersClosed, 1), about(AnswerShown, 1),
			about(PutAway, 1)}, "away 1:Ada"},
		{"put away at once", []Event{ask, about(PutAway, 1), answered("ada1", 1, 2), about(AnswersClosed, 1)},
			"away"},
		{"two at once", []Event{ask, asked("predict-b", 0), answered("ada1", 2, 4)}, "open"},
		{"one after the other", []Event{ask, answered("ada1", 1, 4), about(PutAway, 1), asked("question-b", 3),
			answered("ada1", 1, 5), answered("ada1", 2, 2)}, "away 4:Ada; open 2:Ada"},
		{"the same again", []Event{ask, answered("ada1", 1, 4), about(PutAway, 1), ask}, "away 4:Ada; open"},
		{"not a choice", []Event{asked("question-b", 3), answered("ada1", 1, 3), answered("ben1", 1, -1)}, "open"},
		{"not a number to predict", []Event{ask, answered("ada1", 1, MaxAnswer+1), answered("ben1", 1, -1)}, "open"},
		{"an unknown participant", []Event{ask, answered("eve1", 1, 2)}, "open"},
		{"an unknown question", []Event{ask, answered("ada1", 2, 2), answered("ada1", 0, 2),
			about(AnswersClosed, -1)}, "open"},
		{"a participant who is removed", []Event{ask, answered("ada1", 1, 2), answered("ben1", 1, 2),
			{Kind: Removed, Participant: "ada1"}, answered("ada1", 1, 3)}, "open 2:Ben"},
		{"and let back in", []Event{ask, answered("ada1", 1, 2), {Kind: Removed, Participant: "ada1"},
			{Kind: Restored, Participant: "ada1"}}, "open 2:Ada"},
		{"an ID that is none", []Event{asked("../secret", 0), asked("", 0), asked("a", 1), asked("a", MaxChoices+1),
			asked(strings.Repeat("a", MaxQuestionID+1), 0)}, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := questionsOf(roomOf(append([]Event{created, joined, ben}, c.events...)...)); got != c.want {
				t.Errorf("%q, want %q", got, c.want)
			}
		})
	}
}

func questionsOf(r *Room) string {
	var all []string
	for _, q := range r.Questions {
		words := []string{q.State}
		for _, count := range r.Counts(q) {
			var names []string
			for _, p := range count.By {
				names = append(names, p.Name)
			}
			value, _ := json.Marshal(count.Answer)
			words = append(words, string(value)+":"+strings.Join(names, ","))
		}
		all = append(all, strings.Join(words, " "))
	}
	return strings.Join(all, "; ")
}

// TestMostQuestions tests that a room keeps a bounded number of questions.
func TestMostQuestions(t *testing.T) {
	events := []Event{created}
	for n := range MaxQuestions + 5 {
		events = append(events, asked("predict-a", 0), about(PutAway, n+1))
	}
	if r := roomOf(events...); len(r.Questions) != MaxQuestions || r.Question() != nil {
		t.Errorf("%d questions, the last one is %v", len(r.Questions), r.Question())
	}
}

// TestQuestionsAreOfTheirRoom tests that a copy of a room does not follow it, and that a deletion leaves no question.
func TestQuestionsAreOfTheirRoom(t *testing.T) {
	r := roomOf(created, joined, asked("predict-a", 0), answered("ada1", 1, 2))
	copied := r.Clone()
	r.Apply(r.Sequence+1, Event{Kind: Answered, Participant: "ada1", Number: 1, Answer: 3, Numbering: Numbering})
	r.Apply(r.Sequence+1, Event{Kind: AnswersClosed, Number: 1, Numbering: Numbering})
	if got, want := questionsOf(copied), "open 2:Ada"; got != want {
		t.Errorf("the copy has %q, want %q", got, want)
	}
	if got, want := questionsOf(r), "closed 3:Ada"; got != want {
		t.Errorf("the room has %q, want %q", got, want)
	}
	r.Apply(r.Sequence+1, Event{Kind: Deleted, Numbering: Numbering})
	if len(r.Questions) > 0 {
		t.Errorf("after its deletion the room has %q", questionsOf(r))
	}
}

// TestAskedQuestions tests that what is kept of a question has how many answered what, and nothing of an open one.
func TestAskedQuestions(t *testing.T) {
	r := roomOf(created, joined, Event{Kind: Joined, Participant: "ben1", Name: "Ben"},
		asked("predict-a", 0), answered("ada1", 1, 2), answered("ben1", 1, 0), about(PutAway, 1),
		asked("question-b", 3), answered("ada1", 2, 1), about(AnswersClosed, 2), about(PutAway, 2),
		asked("predict-c", 0), answered("ada1", 3, 9))
	got := r.AskedQuestions()
	if len(got) != 2 || got[0].Question != "predict-a" || got[1].Choices != 3 ||
		!slices.Equal(got[0].Answers, []AnswerCount{{0, 1}, {2, 1}}) ||
		!slices.Equal(got[1].Answers, []AnswerCount{{1, 1}}) {
		t.Errorf("%+v", got)
	}
	if text, err := json.Marshal(got); err != nil || strings.Contains(string(text), "ada") {
		t.Errorf("%s: %v", text, err)
	}
}
