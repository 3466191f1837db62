package watch

import (
	"strings"
	"time"

	"onthestack/internal/exercise"
	"onthestack/internal/present"
	"onthestack/internal/printable"
	"onthestack/internal/workspace"
	"onthestack/tools/checkalloc/app"

	"charm.land/bubbles/v2/viewport"
	tea "charm.land/bubbletea/v2"
	"charm.land/lipgloss/v2"
)

// A binding is a key and what it does.
type binding struct {
	key, word string // in the footer
	help      string // in the help
	rank      int    // the footer leaves the highest ranks out if not all keys fit; 0 is never in the footer
}

var bindings = []binding{
	{"t", "task", "the task of the exercise", 2},
	{"h", "hint", "the next hint", 2},
	{"n p", "exercise", "the next exercise, the one before", 3},
	{"d", "diff", "your code against the solution, once it has passed", 5},
	{"r", "reset", "the starter again: asks first, keeps a backup", 6},
	{"l", "list", "pick an exercise", 4},
	{"↵", "check", "check again without a change; space does the same", 7},
	{"↑ ↓", "", "scroll a line; k and j do the same", 0},
	{"PgUp PgDn", "", "scroll a page; b and f do the same", 0},
	{"← →", "", "scroll sideways", 0},
	{"g G", "", "to the top, to the end", 0},
	{"?", "help", "this list", 1},
	{"q", "quit", "quit; Ctrl-C does the same", 1},
}

// shortcut returns a key and its word for the footer.
func shortcut(key, word string) string { return bold.Render(key) + " " + faint.Render(word) }

// footer returns the line of keys, as many as fit into width columns.
func footer(width int) string {
	for rank := 7; rank > 0; rank-- {
		var parts []string
		for _, b := range bindings {
			if b.rank > 0 && b.rank <= rank {
				parts = append(parts, shortcut(b.key, b.word))
			}
		}
		if line := strings.Join(parts, "  "); lipgloss.Width(line) <= width {
			return line
		}
	}
	return ""
}

// keyList returns the text of the help.
func keyList(width int) string {
	var b strings.Builder
	for _, k := range bindings {
		b.WriteString(hanging(bold.Render(lipgloss.PlaceHorizontal(9, lipgloss.Left, k.key))+"  ", k.help, width) + "\n")
	}
	return b.String()
}

// key handles a key.
func (m *model) key(key string) tea.Cmd {
	switch key {
	case "ctrl+c":
		return tea.Quit
	case "ctrl+z":
		return tea.Suspend
	}
	m.notice = ""
	switch m.mode {
	case confirming:
		m.mode = viewing
		if e := m.exercise; key == "y" || key == "Y" {
			return inBackground(func() answer {
				backup, err := m.workbook.Reset(e, time.Now())
				return answer{"Not reset: ", err, func() {
					m.notice = "Your version is in " + backup
					if backup == "" {
						m.notice = e.ID + " had no changes to reset."
					}
				}}
			})
		}
		m.notice = "Nothing was changed."
	case listing:
		return m.pick(key)
	case reading:
		switch key {
		case "q", "esc", "enter", "?", "d", "t":
			m.mode = viewing
		default:
			scroll(&m.page, key)
		}
	case viewing:
		return m.view(key)
	}
	return nil
}

// view handles a key while the verdict is shown.
func (m *model) view(key string) tea.Cmd {
	e := m.exercise
	switch key {
	case "q":
		return tea.Quit
	case "esc": // esc closes a text or a list; a second press must not quit
	case "space", "enter":
		return m.requestCheck(e)
	case "t":
		m.read(e.ID+"  "+e.Title, func(width int) string {
			var text strings.Builder
			app.WriteTask(&text, e, width)
			return text.String()
		})
	case "h":
		return inBackground(func() answer {
			shown, unsaved := m.workbook.Hint(e)
			return answer{then: func() {
				if unsaved != nil { // the hint is shown all the same
					shown = min(m.hints+1, len(e.Hints))
				}
				m.showHints(e, shown)
				if unsaved != nil && m.notice == "" {
					m.notice = "Not saved: " + printable.Clean(unsaved.Error())
				}
			}}
		})
	case "n", "p":
		if key == "n" && m.result() == resultPassed && m.last.next != nil {
			return m.open(m.last.next)
		}
		step := 1
		if key == "p" {
			step = -1
		}
		switch i := m.index() + step; i {
		case -1:
			m.notice = "This is the first exercise."
		case len(m.workbook.Catalog):
			m.notice = "This is the last exercise."
		default:
			return m.open(m.workbook.Catalog[i])
		}
	case "d":
		if m.state.Passed == nil {
			m.notice = "No diff before " + e.ID + " has passed (" + m.command("diff", e.ID, "--spoil") + ")."
			return nil
		}
		return inBackground(func() answer {
			var text strings.Builder
			files, err := m.workbook.Files(e.ID)
			app.WriteDiff(&text, e, files)
			return answer{"No diff: ", err, func() {
				m.read(e.ID+": yours against the solution", func(int) string { return text.String() })
			}}
		})
	case "r":
		m.mode = confirming
	case "l":
		return inBackground(func() answer {
			var states []workspace.State
			progress, err := m.workbook.Progress()
			for _, e := range m.workbook.Catalog {
				if err == nil {
					states = append(states, *progress.Of(e.ID))
				}
			}
			return answer{"", err, func() { m.mode, m.states, m.selected = listing, states, m.index() }}
		})
	case "?":
		m.read("Keys", keyList)
	default:
		scroll(&m.body, key)
	}
	return nil
}

// command returns a command of the checker with these arguments, which no line of the message breaks.
func (m *model) command(args ...string) string {
	return present.Command(m.workbook.Command + " " + strings.Join(args, " "))
}

// pick handles a key in the list.
func (m *model) pick(key string) tea.Cmd {
	switch key {
	case "enter", "space":
		return m.open(m.workbook.Catalog[m.selected])
	case "q", "esc", "l":
		m.mode = viewing
	default:
		m.selected = moved(key, m.selected, m.page.Height(), len(m.workbook.Catalog)-1)
	}
	return nil
}

// showHints shows so many hints of an exercise, unless another one has been opened.
func (m *model) showHints(e *exercise.Exercise, shown int) {
	if m.exercise != e {
		return
	}
	if shown == m.hints {
		m.notice = "That was the last hint. The solution: " + m.command("solution", e.ID, "--spoil")
	}
	m.hints = shown
	m.body.GotoTop()
}

// scroll moves the visible part of a text by a key.
func scroll(v *viewport.Model, key string) {
	switch key {
	case "left":
		v.ScrollLeft(8)
	case "right":
		v.ScrollRight(8)
	default:
		v.SetYOffset(moved(key, v.YOffset(), v.Height(), v.TotalLineCount()-1))
	}
}

// moved returns the line to which a key leads from the line at. A page has so many lines, and last is the last one.
func moved(key string, at, page, last int) int {
	switch key {
	case "up", "k":
		at--
	case "down", "j":
		at++
	case "pgup", "b":
		at -= page
	case "pgdown", "f":
		at += page
	case "g", "home":
		at = 0
	case "G", "shift+g", "end":
		at = last
	}
	return max(min(at, last), 0)
}
