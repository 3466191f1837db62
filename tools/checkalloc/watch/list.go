package watch

import (
	"strings"

	"charm.land/lipgloss/v2"

	"onthestack/internal/exercise"
	"onthestack/tools/checkalloc/workspace"
)

// A list is a list of exercises to choose from.
type list struct {
	exercises exercise.Catalog
	states    []workspace.State // of each
	selected  int               // the index of the exercise that the cursor is on
}

// move moves the cursor; page is the number of lines of a page.
func (l *list) move(key string, page int) {
	switch key {
	case "up", "k":
		l.selected--
	case "down", "j":
		l.selected++
	case "pgup", "b":
		l.selected -= page
	case "pgdown", "f":
		l.selected += page
	case "g", "home":
		l.selected = 0
	case "G", "shift+g", "end":
		l.selected = len(l.exercises) - 1
	}
	l.selected = min(max(l.selected, 0), len(l.exercises)-1)
}

// lines returns the lines of the list, one for each exercise.
func (l *list) lines(target func(*exercise.Exercise) string, width int) string {
	id, title := 0, 0
	for _, e := range l.exercises {
		id, title = max(id, lipgloss.Width(e.ID)), max(title, lipgloss.Width(e.Title))
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
		if i == l.selected {
			// The whole line has one style, without colors inside it. The mark is for readers who see neither color nor
			// reverse video.
			lines = append(lines, picked.Render(pad(truncate("›"+plain(text)[1:]+target(e), width), width)))
		} else {
			lines = append(lines, truncate(text+faint.Render(target(e)), width))
		}
	}
	return strings.Join(lines, "\n")
}
