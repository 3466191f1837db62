package watch

import (
	"strings"

	"onthestack/internal/exercise"
	"onthestack/tools/checkalloc/workspace"
)

// A list is the exercises to pick from.
type list struct {
	exercises exercise.Catalog
	states    []workspace.State // of each
	at        int               // the one that is picked
}

// move moves the pick; page is how many lines a page has.
func (l *list) move(key string, page int) {
	switch key {
	case "up", "k":
		l.at--
	case "down", "j":
		l.at++
	case "pgup", "b":
		l.at -= page
	case "pgdown", "f":
		l.at += page
	case "g", "home":
		l.at = 0
	case "G", "shift+g", "end":
		l.at = len(l.exercises) - 1
	}
	l.at = min(max(l.at, 0), len(l.exercises)-1)
}

// lines are the list's, one an exercise.
func (l *list) lines(target func(*exercise.Exercise) string, width int) string {
	id, title := 0, 0
	for _, e := range l.exercises {
		id, title = max(id, columns(e.ID)), max(title, columns(e.Title))
	}
	var lines []string
	for i, e := range l.exercises {
		mark := " "
		switch s := l.states[i]; {
		case s.Passed != nil:
			mark = good.Render("✓")
		case len(s.Last) > 0:
			mark = "·"
		}
		text := " " + mark + " " + pad(e.ID, id) + "  " + pad(e.Title, title) + "  "
		if i == l.at {
			// One style for the whole line: it has no color in it. The mark is for who sees neither.
			lines = append(lines, picked.Render(pad(cut("›"+plain(text)[1:]+target(e), width), width)))
		} else {
			lines = append(lines, cut(text+faint.Render(target(e)), width))
		}
	}
	return strings.Join(lines, "\n")
}
