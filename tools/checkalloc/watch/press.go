package watch

import (
	"time"

	"charm.land/bubbles/v2/viewport"
	tea "charm.land/bubbletea/v2"
)

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
			return inBackground(func() tea.Msg {
				backup, err := m.workbook.Reset(e, time.Now())
				return resetDone{e, backup, err}
			})
		}
		m.notice = "Nothing was changed."
	case listing:
		return m.pick(key)
	case reading:
		switch key {
		case "q", "esc", "enter", "?", "d":
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
	case "h":
		return inBackground(func() tea.Msg {
			shown, err := m.workbook.Hint(e)
			return hintShown{e, shown, err}
		})
	case "n":
		if m.index()+1 == len(m.workbook.Catalog) {
			m.notice = "This is the last exercise."
			return nil
		}
		return m.open(m.workbook.Catalog[m.index()+1])
	case "p":
		if m.index() == 0 {
			m.notice = "This is the first exercise."
			return nil
		}
		return m.open(m.workbook.Catalog[m.index()-1])
	case "d":
		if m.state.Passed == nil {
			m.notice = "No diff before " + e.ID + " has passed (" + m.workbook.Command + " diff " + e.ID + " --spoil)."
			return nil
		}
		return inBackground(func() tea.Msg {
			text, err := m.workbook.Diff(e)
			return diffRead{e, text, err}
		})
	case "r":
		m.mode = confirming
	case "l":
		return inBackground(func() tea.Msg {
			var l statesRead
			for _, e := range m.workbook.Catalog {
				state, err := m.workbook.State(e)
				if err != nil {
					return statesRead{err: err}
				}
				l.states = append(l.states, state)
			}
			return l
		})
	case "?":
		m.read("Keys", "")
	default:
		scroll(&m.body, key)
	}
	return nil
}

// pick handles a key in the list.
func (m *model) pick(key string) tea.Cmd {
	switch key {
	case "enter", "space":
		return m.open(m.list.exercises[m.list.selected])
	case "q", "esc", "l":
		m.mode = viewing
	default:
		m.list.move(key, m.page.Height())
	}
	return nil
}

func scroll(v *viewport.Model, key string) {
	switch key {
	case "up", "k":
		v.ScrollUp(1)
	case "down", "j":
		v.ScrollDown(1)
	case "pgup", "b":
		v.PageUp()
	case "pgdown", "f":
		v.PageDown()
	case "left":
		v.ScrollLeft(8)
	case "right":
		v.ScrollRight(8)
	case "g", "home":
		v.GotoTop()
	case "G", "shift+g", "end":
		v.GotoBottom()
	}
}
