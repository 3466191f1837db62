package watch

import (
	"strings"

	"charm.land/bubbles/v2/viewport"
	tea "charm.land/bubbletea/v2"
)

// A frame says which lines the screen shows around the text that scrolls, depending on its height.
type frame struct {
	title, rules, footer bool
	message              []string
}

func (m *model) frame() frame {
	h := m.height
	f := frame{title: h >= 5, rules: h >= 12, footer: h >= 4}
	most := 0 // lines of the message, at most
	switch {
	case h >= 16:
		most = 3
	case h >= 12:
		most = 2
	case h >= 7, h >= 2 && (m.mode == confirming || m.notice != ""):
		most = 1
	}
	if most > 0 {
		f.message = m.status(most)
	}
	return f
}

// layOut gives the text the lines that the frame leaves.
func (m *model) layOut() {
	f := m.frame()
	room := m.height - 1 - len(f.message) // the line of stages is always shown
	for _, line := range []bool{f.title, f.rules, f.rules, f.footer} {
		if line {
			room--
		}
	}
	for _, v := range []*viewport.Model{&m.body, &m.page} {
		v.SetWidth(m.width)
		v.SetHeight(max(room, 0))
		v.SetYOffset(v.YOffset()) // clamps it to the new height
	}
	if m.mode == listing {
		m.page.SetContent(m.list.lines(m.workbook.Target, m.width))
		m.page.EnsureVisible(m.list.selected, 0, 0)
	}
}

// View implements tea.Model.
func (m *model) View() tea.View {
	v := tea.NewView(m.screen())
	v.AltScreen = true
	return v
}

// screen returns the whole screen, at most width columns and height lines.
func (m *model) screen() string {
	if m.width <= 0 || m.height <= 0 {
		return ""
	}
	f, shown := m.frame(), &m.body
	if m.mode == listing || m.mode == reading {
		shown = &m.page
	}
	var lines []string
	if f.title {
		lines = append(lines, m.title())
	}
	lines = append(lines, m.progress())
	lines = append(lines, f.message...)
	if f.rules {
		lines = append(lines, rule("", m.width))
	}
	if shown.Height() > 0 {
		lines = append(lines, strings.Split(shown.View(), "\n")...)
	}
	if f.rules {
		lines = append(lines, rule(position(shown), m.width))
	}
	if f.footer {
		lines = append(lines, truncate(" "+m.keys(), m.width))
	}
	return strings.Join(lines, "\n")
}

// keys returns the footer.
func (m *model) keys() string {
	switch m.mode {
	case confirming:
		return shortcut("y", "reset") + "  " + shortcut("n", "leave it")
	case listing:
		return shortcut("↑↓", "move") + "  " + shortcut("enter", "pick") + "  " + shortcut("esc", "back")
	case reading:
		return shortcut("↑↓", "scroll") + "  " + shortcut("esc", "back")
	}
	return footer(m.width - 2)
}
