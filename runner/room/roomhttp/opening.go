package roomhttp

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"onthestack/runner/room"
)

// left is how long after the last change the server assumes that the class has left the room. A server that restarts in
// the middle of a class goes on with its room, and next month's class does not find the names of this month's.
const left = 12 * time.Hour

// A Lesson says which room is to be open after the start.
type Lesson struct {
	Title     string
	Exercises []string // in the order of the lesson; nil for all, in the order of the workbook
	SeesCode  bool     // whether the instructor of a new room sees the code of each participant's last check
}

// A Start is the room of a Lesson: one that Find has found, or that OpenNew has opened.
type Start struct {
	Code, Title  string
	Exercises    []string
	Participants int       // who are in it
	Changed      time.Time // when something happened in it last
	Left         bool      // whether people joined it, and nothing has happened in it for 12 hours
	SeesCode     bool      // whether the instructor sees the code of each participant's last check
}

// Find waits until the journal is read, and returns the room to go on with: the last of the rooms that were opened for
// lessons of this title, unless it has ended. A room that nobody has joined is found only if it has the exercises that
// the lesson names, and if its instructor sees the code of checks as the lesson says. ok is false if there is none.
func (s *Server) Find(ctx context.Context, l Lesson) (found Start, ok bool, err error) {
	title := room.CleanName(l.Title, room.MaxTitle)
	if title == "" {
		return Start{}, false, fmt.Errorf("the title is empty or longer than %d characters", room.MaxTitle)
	}
	select {
	case <-s.ready:
	case <-ctx.Done():
		return Start{}, false, ctx.Err()
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	var last *room.Room
	for _, r := range s.rooms {
		if !exists(r) || r.Ended || numberOf(r.Title, title) == 0 {
			continue
		}
		if r.Joiners() == 0 && (l.Exercises != nil && !slices.Equal(r.Exercises, l.Exercises) || r.SeesCode != l.SeesCode) {
			continue
		}
		if last == nil || cmp.Or(numberOf(r.Title, title)-numberOf(last.Title, title),
			cmp.Compare(r.Sequence, last.Sequence)) > 0 {
			last = r
		}
	}
	if last == nil {
		return Start{}, false, nil
	}
	return Start{Code: last.Code, Title: last.Title, Exercises: last.Exercises, Participants: len(last.Present()),
		Changed: last.Time, Left: last.Joiners() > 0 && s.Now().Sub(last.Time) > left, SeesCode: last.SeesCode}, true, nil
}

// OpenNew opens a room for a lesson. It has the title of the lesson, with a number if another room has that.
func (s *Server) OpenNew(ctx context.Context, l Lesson) (Start, error) {
	title := room.CleanName(l.Title, room.MaxTitle)
	number := 1
	s.mu.Lock()
	for _, r := range s.rooms {
		if exists(r) {
			number = max(number, numberOf(r.Title, title)+1)
		}
	}
	s.mu.Unlock()
	exercises := l.Exercises
	if exercises == nil {
		exercises = s.Exercises
	}
	created := room.Event{Kind: room.Created, Title: titleOf(title, number), Exercises: exercises, SeesCode: l.SeesCode}
	code, err := s.newRoom(ctx, created)
	return Start{Code: code, Title: created.Title, Exercises: exercises, SeesCode: l.SeesCode}, err
}

// titleOf returns the title of the n-th room of a title: "Workshop", "Workshop (2)". It is never longer than a title
// may be.
func titleOf(title string, n int) string {
	if n == 1 {
		return title
	}
	suffix := fmt.Sprintf(" (%d)", n)
	runes := []rune(title)
	return string(runes[:min(len(runes), room.MaxTitle-len(suffix))]) + suffix
}

// numberOf returns the n for which titleOf(title, n) is the title of a room, or 0.
func numberOf(roomTitle, title string) int {
	if roomTitle == title {
		return 1
	}
	open := strings.LastIndex(roomTitle, " (")
	if open < 0 {
		return 0
	}
	n, err := strconv.Atoi(strings.TrimSuffix(roomTitle[open+len(" ("):], ")"))
	if err != nil || n < 2 || titleOf(title, n) != roomTitle {
		return 0
	}
	return n
}
