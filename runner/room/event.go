package room

import (
	"slices"
	"time"
	"unicode/utf8"

	"onthestack/internal/exercise"
	"onthestack/internal/verdict"
)

// A Kind names what happened in a room. The journal keeps kinds by these words, so they do not change.
type Kind string

const (
	Created     Kind = "created"     // the room, with Title, Exercises and Deadline
	Joined      Kind = "joined"      // a participant: Name, Identifier and TokenHash; maybe with a Partner, or Preview
	Removed     Kind = "removed"     // a participant, by the instructor
	Restored    Kind = "restored"    // a participant who was removed, by the instructor
	Renamed     Kind = "renamed"     // a participant, by the instructor: Name, Identifier
	Rekeyed     Kind = "rekeyed"     // a participant has a new key, which replaces all others: TokenHash
	Merged      Kind = "merged"      // a participant's row into another one: Into
	Parted      Kind = "parted"      // a participant left the seat of a pair for a seat of their own
	Checked     Kind = "checked"     // a participant's page or a server checked an exercise: Progress
	Hand        Kind = "hand"        // a participant raised a hand at Exercise, or lowered it: Raised
	Hinted      Kind = "hinted"      // a participant opened hints of Exercise: the number in Progress
	Submitted   Kind = "submitted"   // a participant handed in Exercise: Submission, Late
	Graded      Kind = "graded"      // a submission was graded: Submission, Regrade, Grade
	Failed      Kind = "failed"      // a submission could not be graded: Submission, Regrade, Why
	Regraded    Kind = "regraded"    // the instructor had a submission graded again: Submission, Regrade
	Opened      Kind = "opened"      // the instructor opened Exercise
	Closed      Kind = "closed"      // the instructor closed Exercise
	Due         Kind = "due"         // the instructor set or, with a zero time, removed the Deadline
	Retitled    Kind = "retitled"    // the room has another Title
	Assigned    Kind = "assigned"    // the room has other Exercises
	Shared      Kind = "shared"      // the instructor showed a submission to the room without its name
	Unshared    Kind = "unshared"    // the instructor stopped showing it
	Projected   Kind = "projected"   // the instructor projects the code of a check: Participant, Exercise, Code
	Unprojected Kind = "unprojected" // the instructor stopped projecting it
	Messaged    Kind = "message"     // the instructor's message to all: Text, Until; without Text, it is removed
	Ended       Kind = "ended"       // the room has ended, and takes nothing after Grace
	Reopened    Kind = "reopened"    // the room has not ended
	Deleted     Kind = "deleted"     // the room, with everything in it: all other events are gone

	JoinsClosed Kind = "joins-closed" // nobody else can join
	JoinsOpened Kind = "joins-opened" // people can join again

	Asked         Kind = "asked"          // the instructor asked Question, with Choices: the room's question is a new one
	Answered      Kind = "answered"       // a participant answered question Number with Answer
	AnswersClosed Kind = "answers-closed" // question Number takes no more answers
	AnswerShown   Kind = "answer-shown"   // the right answer to question Number is shown
	PutAway       Kind = "put-away"       // question Number was put away: only the instructor sees it
)

// An Event is one thing that happened in a room. A room is what its events add up to; see [Room.Apply].
type Event struct {
	Kind Kind      `json:"kind"`
	Time time.Time `json:"time"` // by the clock of the server that wrote the event

	Title     string    `json:"title,omitempty"`
	Exercises []string  `json:"exercises,omitempty"`
	Deadline  time.Time `json:"deadline,omitzero"`

	// SeesCode reports that the instructor sees the code of each participant's last check.
	SeesCode bool `json:"sees_code,omitempty"`

	Participant string `json:"participant,omitempty"`
	Name        string `json:"name,omitempty"`
	TokenHash   []byte `json:"token_hash,omitempty"`
	// Identifier is an e-mail address or a number by which a school's system knows the person; or "".
	Identifier string  `json:"identifier,omitempty"`
	Partner    *Person `json:"partner,omitempty"` // the second person at the seat
	// Alike reports that the name is told from others by what it looks like. In events of earlier releases, names are the
	// same only if they have the same characters but for capitals.
	Alike   bool   `json:"alike,omitempty"`
	Preview bool   `json:"preview,omitempty"` // whether the seat is the instructor's, to try the room
	Into    string `json:"into,omitempty"`    // ID of a participant

	Exercise string    `json:"exercise,omitempty"`
	Raised   bool      `json:"raised,omitempty"`
	Progress *Progress `json:"progress,omitempty"`
	// Check is the page's ID of a check, in the report of the check and with a submission of the same code; or "".
	Check string `json:"check,omitempty"`
	// Code is the ID of the code of a check, which is not in the event; see store.Journal.StoreCode.
	Code string `json:"code,omitempty"`

	Text  string    `json:"text,omitempty"`
	Until time.Time `json:"until,omitzero"`

	// Bytes is the size of what is stored beside the event: the files of a submission, the code of a check, or a verdict.
	// Events of earlier releases lack it.
	Bytes int `json:"bytes,omitempty"`

	Submission string `json:"submission,omitempty"`
	Regrade    int    `json:"regrade,omitempty"` // how often grading was started again by the instructor
	Late       bool   `json:"late,omitempty"`    // whether it came after the deadline, or after the room's end
	Grade      *Grade `json:"grade,omitempty"`
	Why        string `json:"why,omitempty"`

	Question string `json:"question,omitempty"` // its ID in the workbook
	Choices  int    `json:"choices,omitempty"`  // an answer is the index of one of them; 0: it is a number
	Number   int    `json:"number,omitempty"`   // of a question in its room, from 1
	Answer   int    `json:"answer,omitempty"`

	// Numbering says which IDs exercises have in the event: Numbering, or 0 for the IDs until they were renumbered.
	Numbering int `json:"numbering,omitempty"`
}

// Numbering is the Numbering of events that are stored today.
const Numbering = 2

// Renumbered returns the event with today's IDs of exercises.
func (e Event) Renumbered() Event {
	if e.Numbering == Numbering {
		return e
	}
	e.Numbering, e.Exercise, e.Exercises = Numbering, exercise.Renumbered(e.Exercise), slices.Clone(e.Exercises)
	for i, id := range e.Exercises {
		e.Exercises[i] = exercise.Renumbered(id)
	}
	return e
}

// Progress is what a participant's last check of an exercise showed. It comes from the participant's page, so it is
// shown in the grid but never counts as a grade.
type Progress struct {
	Stage  string  `json:"stage"`            // the first stage that failed; "" if all passed
	Allocs float64 `json:"allocs,omitempty"` // allocs/op of the benchmark that is farthest from its target
	Target float64 `json:"target,omitempty"` // that benchmark's target, in allocs/op
	// Bytes of the heap that an operation of the benchmark leaves in use, and their target; 0 if they have no target.
	Live       float64 `json:"live,omitempty"`
	TargetLive float64 `json:"target_live,omitempty"`
	Mistake    string  `json:"mistake,omitempty"` // the name of the known mistake that the figures match
	Hints      int     `json:"hints,omitempty"`   // hints that were opened
	Test       string  `json:"test,omitempty"`    // the first test that failed, with its subtest; "" for none
}

// Limits of a Progress.
const (
	MaxTest  = 100 // characters of the name of a test that failed. Longer ones are cut
	MaxHints = 100 // hints of an exercise, and with them the events that a page can have stored about them
)

// Valid reports whether a check can have shown this. A participant's page can send anything.
func (p Progress) Valid() bool {
	number := func(x float64) bool { return x >= 0 && x < 1e15 } // false for NaN
	return slices.Contains(append(verdict.Stages(), ""), p.Stage) && number(p.Allocs) && number(p.Target) &&
		number(p.Live) && number(p.TargetLive) &&
		len(p.Mistake) <= 100 && p.Hints >= 0 && p.Hints <= MaxHints && utf8.RuneCountInString(p.Test) <= MaxTest
}

// A Grade is the outcome of grading a submission on the server.
type Grade struct {
	Pass  bool    `json:"pass"`
	Score float64 `json:"score"` // from 0 to 1
	// Progress is what the server's check showed. Grades of earlier releases have only the stage.
	Progress
	// Provisional reports that a pass lacks the race detector, as in package verdict.
	Provisional bool `json:"provisional,omitempty"`
}
